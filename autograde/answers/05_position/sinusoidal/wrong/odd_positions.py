"""n must not be odd here. It is the width d that comes in pairs."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2 or n % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
