"""All pairs turn alike, by 1 at each position. Pair i turns by base^(-2i/d)."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = torch.ones(d // 2)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
