"""The heads stay behind the tokens: (..., T, heads, width). Bring them in front, so that the last two dimensions are tokens and width."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1))


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
