"""Loops that write into new tensors."""

def split_heads(x, heads):
    D = x.size(-1)
    if not (heads >= 1 and D % heads == 0):
        raise ValueError(f"{D} / {heads} is not whole")
    out = x.new_zeros(*x.shape[:-2], heads, x.size(-2), D // heads)
    for d in range(D):
        h, w = divmod(d, D // heads)
        out[..., h, :, w] = x[..., d]
    return out


def merge_heads(x):
    heads, T, width = x.shape[-3:]
    out = x.new_zeros(*x.shape[:-3], T, heads * width)
    for h in range(heads):
        out[..., h * width : (h + 1) * width] = x[..., h, :, :]
    return out
