"""`merge_heads` interleaves the pieces: number 0 of all heads, then number 1. Each head's piece stays together."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.movedim(-3, -1).flatten(-2)
