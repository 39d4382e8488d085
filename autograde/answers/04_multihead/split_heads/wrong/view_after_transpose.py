"""`view` after `transpose`: the numbers do not lie in memory in that order, so view refuses. Use reshape or flatten."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-3, -2).view(*x.shape[:-3], x.shape[-2], -1)
