"""Only the gate of the value itself moves here. All gates of the window move, because they share one sum."""

def softpool_gradient(v, tau=1.0):
    _, g = softpool(v, tau)
    return g * (1 + v * (1 - g) / tau)
