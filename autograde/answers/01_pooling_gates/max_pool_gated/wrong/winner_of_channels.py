"""The values of different channels compete at each place. The values of a window must: dimension -1."""

def max_pool_gated(x, k):
    V = windows(x, k)
    gates = hardmax(V, 1)
    return (V * gates).sum(-1), gates
