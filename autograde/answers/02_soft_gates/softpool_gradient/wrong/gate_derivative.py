"""g (1 - g) / τ is the derivative of a gate with respect to its own score. The output is asked for."""

def softpool_gradient(v, tau=1.0):
    _, g = softpool(v, tau)
    return g * (1 - g) / tau
