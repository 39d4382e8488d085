"""A sinusoidal address is added. rope turns, it adds nothing."""

def rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    angles = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return (x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)).to(x.dtype)
