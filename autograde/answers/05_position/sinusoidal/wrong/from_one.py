"""Positions count from 1. Position 0 comes first, with angle 0."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(1, n + 1)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
