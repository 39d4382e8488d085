"""The width is rounded down and the numbers that are left over are dropped. If heads does not divide the width, raise ValueError."""

def split_heads(x, heads):
    if heads < 1 or heads > x.shape[-1]:
        raise ValueError("not so many heads")
    x = x[..., : x.shape[-1] // heads * heads]
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
