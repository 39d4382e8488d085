"""`merge_heads` exchanges the wrong two dimensions: tokens and width, and not heads and tokens."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-2, -1).flatten(-2)
