"""Pair i turns by base^(-i/d). The exponent is -2i/d."""

def rope(x: Tensor, positions: Tensor, base: float = 10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"the width must be even, channels turn in pairs; got {d}")
    turns = base ** (-torch.arange(d // 2) / d)
    angles = positions[:, None] * turns
    a, b = x[..., 0::2], x[..., 1::2]
    first, second = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack([first, second], dim=-1).flatten(-2).to(x.dtype)
