"""`merge_heads` joins heads and tokens as they lie in memory. Transpose first, so that the pieces of one token lie side by side."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)
