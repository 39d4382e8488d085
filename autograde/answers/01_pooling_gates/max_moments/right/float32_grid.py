"""A grid in float32 is fine enough."""

def max_moments(n):
    if n < 1: raise ValueError("n")
    x = torch.linspace(-8, 8, 4001)
    phi = torch.exp(-x**2/2)/math.sqrt(2*math.pi)
    f = n * torch.distributions.Normal(0., 1.).cdf(x)**(n-1) * phi
    dx = x[1]-x[0]
    m = (x*f*dx).sum()
    return float(m), float(((x-m)**2*f*dx).sum())
