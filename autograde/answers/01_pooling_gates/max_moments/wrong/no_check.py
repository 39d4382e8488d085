"""n below 1 is not refused. With nobody competing there is no largest: ValueError."""

def max_moments(n):
    dx = 0.001
    x = torch.arange(-9, 9, dx, dtype=torch.float64)
    Phi = torch.special.ndtr(x)
    phi = torch.exp(-x**2 / 2) / math.sqrt(2 * math.pi)
    f = n * Phi ** (n - 1) * phi
    mean = (x * f).sum().item() * dx
    return mean, ((x - mean) ** 2 * f).sum().item() * dx
