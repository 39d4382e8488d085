"""PyTorch's own unfold."""

def audio_tokens(sound, size):
    B, samples = sound.shape
    if size <= 0 or samples % size != 0:
        raise ValueError(f"cut to {samples - samples % max(size, 1)} or pad to {samples + -samples % max(size, 1)} samples")
    return sound.unfold(1, size, size)


def video_tokens(clip, patch):
    B, frames, C, H, W = clip.shape
    if patch <= 0:
        raise ValueError("the patch must have a pixel")
    for side in (H, W):
        if side % patch:
            raise ValueError(f"{side} does not divide by {patch}; crop to {side - side % patch}, pad to {side + -side % patch}")
    rows = F.unfold(clip.flatten(0, 1), patch, stride=patch).mT
    return rows.reshape(B, -1, C * patch * patch)
