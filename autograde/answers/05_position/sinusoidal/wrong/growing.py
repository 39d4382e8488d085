"""The sign of the exponent is missing: pair i turns faster and faster. The speeds must fall."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = base ** (torch.arange(0, d, 2) / d)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
