"""Cut with slices and stacked."""

def fits(length, size):
    if size < 1:
        raise ValueError("a size must be 1 or more")
    if length % size:
        low = length // size * size
        raise ValueError(f"{length} is no multiple of {size}: use {low} (cut) or {low + size} (pad)")


def audio_tokens(sound, size):
    fits(sound.shape[1], size)
    return torch.stack(sound.split(size, dim=1), 1)


def video_tokens(clip, patch):
    B, frames, C, H, W = clip.shape
    fits(H, patch)
    fits(W, patch)
    tokens = []
    for f in range(frames):
        for y in range(0, H, patch):
            for x in range(0, W, patch):
                tokens.append(clip[:, f, :, y : y + patch, x : x + patch].flatten(1))
    return torch.stack(tokens, 1)
