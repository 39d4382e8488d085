"""All values equal to the largest pass, and are added up. Only the first may: use your hardmax."""

def max_pool_gated(x, k):
    V = windows(x, k)
    gates = (V == V.amax(-1, keepdim=True)).to(x.dtype)
    return (V * gates).sum(-1), gates
