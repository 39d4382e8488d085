"""The second term is not divided by the temperature."""

def softpool_gradient(v, tau=1.0):
    out, g = softpool(v, tau)
    return g * (1 + v - out[..., None])
