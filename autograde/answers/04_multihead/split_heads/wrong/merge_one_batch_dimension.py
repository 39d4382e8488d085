"""`merge_heads` insists on exactly one batch dimension. Count dimensions from the end."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
