"""Variance as second moment minus the mean squared; torch's distribution."""

def max_moments(n):
    if n <= 0:
        raise ValueError(n)
    bell = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), 1)
    x = torch.linspace(-9, 9, 9001, dtype=torch.float64)
    f = n * bell.cdf(x).pow(n - 1) * bell.log_prob(x).exp()
    first, second = (torch.trapezoid(x**p * f, x) for p in (1, 2))
    return first.item(), (second - first**2).item()
