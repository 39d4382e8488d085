"""The gates are booleans: their type is free."""

def max_pool_gated(x: Tensor, k: int):
    V = windows(x, k)
    gates = hardmax(V).bool()
    return V.where(gates, 0).sum(-1), gates
