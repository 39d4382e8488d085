"""This insists on exactly one batch dimension. Count dimensions from the end, and any number of batch dimensions works."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.view(x.shape[0], x.shape[1], heads, x.shape[2] // heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)
