"""The output is stretched along the wrong dimension; it works for one window only."""

def softpool_gradient(v, tau=1.0):
    out, g = softpool(v, tau)
    return g * (1 + (v - out) / tau)
