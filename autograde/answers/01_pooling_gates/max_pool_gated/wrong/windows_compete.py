"""The values of different windows compete. The values of one window must: dimension -1."""

def max_pool_gated(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    V = windows(x, k)
    gates = hardmax(V, 2)
    return (gates * V).sum(-1), gates
