"""The power of Φ is n. One of the n is the winner: n - 1 must lie below it."""

def max_moments(n):
    if n < 1:
        raise ValueError(n)
    dx = 0.001
    x = torch.arange(-9, 9, dx, dtype=torch.float64)
    Phi = torch.special.ndtr(x)
    phi = torch.exp(-x**2 / 2) / math.sqrt(2 * math.pi)
    f = n * Phi**n * phi
    mean = (x * f).sum().item() * dx
    return mean, ((x - mean) ** 2 * f).sum().item() * dx
