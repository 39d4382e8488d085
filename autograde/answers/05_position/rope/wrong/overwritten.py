"""a was overwritten before b was made of it. Keep the old a until both are done."""

def rope(x: Tensor, positions: Tensor, base: float = 10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"the width must be even, channels turn in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = positions[:, None] * turns
    a, b = x[..., 0::2], x[..., 1::2]
    a = a * angles.cos() - b * angles.sin()
    b = a * angles.sin() + b * angles.cos()
    return torch.stack([a, b], dim=-1).flatten(-2).to(x.dtype)
