"""amax gives the right values, but where values are equal its gradient is shared among them. Gates times values sends all to the first."""

def max_pool_gated(x, k):
    V = windows(x, k)
    return V.amax(-1), hardmax(V)
