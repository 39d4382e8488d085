"""The gradient was let through to all values, as if the gate were open for all on the way back. The losers hear nothing."""

def max_pool_gated(x, k):
    V = windows(x, k)
    gates = hardmax(V)
    out = (V * gates).sum(-1)
    return out.detach() + V.sum(-1) - V.sum(-1).detach(), gates
