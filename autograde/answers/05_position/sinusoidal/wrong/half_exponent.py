"""Pair i turns by base^(-i/d). The exponent is -2i/d: use the channel 2i."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = base ** (-torch.arange(d // 2) / d)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
