"""The sum was not multiplied by the step of the grid. An integral is a sum of heights times widths."""

def max_moments(n):
    if n < 1:
        raise ValueError(n)
    dx = 0.001
    x = torch.arange(-9, 9, dx, dtype=torch.float64)
    Phi = torch.special.ndtr(x)
    phi = torch.exp(-x**2 / 2) / math.sqrt(2 * math.pi)
    f = n * Phi ** (n - 1) * phi
    mean = (x * f).sum().item()
    return mean, ((x - mean) ** 2 * f).sum().item()
