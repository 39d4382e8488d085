"""Each channel has a speed of its own. The sine and the cosine of a pair share one."""

def sinusoidal(n, d, base=10_000.0):
    if d % 2:
        raise ValueError("d must be even")
    angles = torch.arange(n)[:, None] * base ** (-torch.arange(d) / d)
    out = torch.zeros(n, d)
    out[:, 0::2] = angles[:, 0::2].sin()
    out[:, 1::2] = angles[:, 1::2].cos()
    return out
