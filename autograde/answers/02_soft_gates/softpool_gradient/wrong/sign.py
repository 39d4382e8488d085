"""The output minus the value: the sign of the second term is wrong."""

def softpool_gradient(v, tau=1.0):
    out, g = softpool(v, tau)
    return g * (1 + (out[..., None] - v) / tau)
