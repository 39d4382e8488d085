"""A cosine is a sine a quarter turn ahead; computed in float64."""

def sinusoidal(n, d, base=10_000.0):
    if d & 1:
        raise ValueError("d must be even")
    channel = torch.arange(d, dtype=torch.float64)
    angles = torch.arange(n, dtype=torch.float64)[:, None] / base ** (2 * (channel // 2) / d)
    return torch.sin(angles + (channel % 2) * math.pi / 2).float()
