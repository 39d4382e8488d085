"""The mean of the window stands where the output must stand. The output is the mean weighted by the gates."""

def softpool_gradient(v, tau=1.0):
    _, g = softpool(v, tau)
    return g * (1 + (v - v.mean(-1, keepdim=True)) / tau)
