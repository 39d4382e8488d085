"""The heads come out in the wrong order: head 0 gets the first numbers of a token."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2).flip(-3)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
