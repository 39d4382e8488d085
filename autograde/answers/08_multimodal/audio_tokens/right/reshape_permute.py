"""One reshape into seven dimensions, and a permute."""

def audio_tokens(sound, size):
    if size < 1:
        raise ValueError("size < 1")
    n, rest = divmod(sound.shape[1], size)
    if rest:
        raise ValueError(f"keep {n * size} samples or pad to {(n + 1) * size}")
    return sound.reshape(len(sound), n, size)


def video_tokens(clip, patch):
    if patch < 1:
        raise ValueError("patch < 1")
    B, frames, C, H, W = clip.shape
    (h, more_h), (w, more_w) = divmod(H, patch), divmod(W, patch)
    if more_h:
        raise ValueError(f"rows of pixels: keep {h * patch} or pad to {h * patch + patch}")
    if more_w:
        raise ValueError(f"columns of pixels: keep {w * patch} or pad to {w * patch + patch}")
    seven = clip.reshape(B, frames, C, h, patch, w, patch).permute(0, 1, 3, 5, 2, 4, 6)
    return seven.reshape(B, frames * h * w, C * patch * patch)
