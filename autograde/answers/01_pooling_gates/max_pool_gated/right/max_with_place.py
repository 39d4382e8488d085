"""torch.max with a dimension takes one winner, and its gradient does, too."""

def max_pool_gated(x, k):
    V = windows(x, k)
    out, place = V.max(dim=-1)
    return out, F.one_hot(V.argmax(-1), k * k).to(x.dtype)
