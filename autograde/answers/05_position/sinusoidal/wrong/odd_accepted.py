"""An odd width is not refused, and the result has one channel too many."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
