"""Only the output is returned. The gates are asked for, too."""

def max_pool_gated(x, k):
    V = windows(x, k)
    return (V * hardmax(V)).sum(-1)
