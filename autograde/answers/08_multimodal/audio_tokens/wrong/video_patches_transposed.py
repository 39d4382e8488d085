"""Each patch is transposed."""

def audio_tokens(sound: Tensor, size: int) -> Tensor:
    samples = sound.shape[1]
    if size < 1:
        raise ValueError(f"a slice needs at least 1 sample, not {size}")
    if rest := samples % size:
        raise ValueError(f"{samples} samples: cut to {samples - rest} or pad to {samples - rest + size}")
    return sound.unflatten(1, (-1, size))  # (B, samples / size, size)


def video_tokens(clip: Tensor, patch: int) -> Tensor:
    if patch < 1:
        raise ValueError(f"a patch needs at least 1 pixel, not {patch}")
    for name, length in zip(("height", "width"), clip.shape[3:], strict=True):
        if rest := length % patch:
            raise ValueError(f"{name} {length}: cut to {length - rest} or pad to {length - rest + patch}")
    grid = clip.unflatten(4, (-1, patch)).unflatten(3, (-1, patch))  # (B, frames, C, rows, P, columns, P)
    rows = grid.permute(0, 1, 3, 5, 2, 6, 4).flatten(4)  # (B, frames, rows, columns, C P P)
    return rows.flatten(1, 3)  # (B, frames T, C P P)
