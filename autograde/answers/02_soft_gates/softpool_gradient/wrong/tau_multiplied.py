"""The second term is multiplied by the temperature. The scores are v / τ, so it is divided."""

def softpool_gradient(v, tau=1.0):
    out, g = softpool(v, tau)
    return g * (1 + (v - out[..., None]) * tau)
