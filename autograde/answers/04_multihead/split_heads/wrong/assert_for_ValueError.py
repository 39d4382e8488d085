"""`assert` raises AssertionError. The card asks for ValueError."""

def split_heads(x, heads):
    assert heads >= 1 and x.shape[-1] % heads == 0
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
