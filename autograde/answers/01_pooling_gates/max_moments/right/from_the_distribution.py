"""Steps of P(max ≤ x) = Φⁿ, without a density."""

def max_moments(n):
    if n < 1:
        raise ValueError("n")
    edges = torch.linspace(-10, 10, 20001, dtype=torch.float64)
    share = torch.special.ndtr(edges).pow(n).diff()
    middle = (edges[1:] + edges[:-1]) / 2
    mean = (share * middle).sum().item()
    return mean, (share * (middle - mean) ** 2).sum().item()
