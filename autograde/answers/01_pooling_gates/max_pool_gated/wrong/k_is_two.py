"""The side of a window is 2 whatever k says."""

def max_pool_gated(x, k):
    V = windows(x, 2)
    gates = hardmax(V)
    return (V * gates).sum(-1), gates
