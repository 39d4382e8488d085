"""The gate is returned. A value also moves all gates, and so the output on a second way."""

def softpool_gradient(v, tau=1.0):
    return softpool(v, tau)[1]
