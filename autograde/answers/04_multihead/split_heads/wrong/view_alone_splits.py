"""One reshape straight to (..., heads, T, width) gives head 0 whole tokens, the first ones. Cut each token into pieces, then transpose."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.reshape(*x.shape[:-2], heads, x.shape[-2], -1)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
