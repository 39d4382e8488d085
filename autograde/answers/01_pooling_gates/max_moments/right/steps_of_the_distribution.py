"""Differences of Φⁿ are the probabilities of the steps of the grid."""

def max_moments(n):
    if n < 1: raise ValueError
    x = torch.linspace(-10, 10, 20001).double()
    P = (0.5*(1+torch.erf(x/2**.5)))**n
    p = P.diff(); mid = (x[1:]+x[:-1])/2
    m = (p*mid).sum().item()
    return m, (p*(mid-m)**2).sum().item()
