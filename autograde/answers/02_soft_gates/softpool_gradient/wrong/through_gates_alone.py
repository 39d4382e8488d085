"""Only the way through the gates is counted. The value itself enters the sum, too."""

def softpool_gradient(v, tau=1.0):
    out, g = softpool(v, tau)
    return g * (v - out[..., None]) / tau
