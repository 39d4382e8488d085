"""Head 0 gets every `heads`-th number of a token. It gets the first `width` numbers, side by side: (heads, width), not (width, heads)."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
