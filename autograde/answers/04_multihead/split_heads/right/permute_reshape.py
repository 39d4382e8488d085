"""All leading dimensions become one, then view, permute, contiguous."""

def split_heads(x, heads):
    *lead, T, D = x.shape
    if heads <= 0 or D % heads != 0:
        raise ValueError(f"cannot cut {D} numbers into {heads} equal pieces")
    y = x.reshape(-1, T, heads, D // heads).permute(0, 2, 1, 3).contiguous()
    return y.view(*lead, heads, T, D // heads)


def merge_heads(x):
    *lead, heads, T, width = x.shape
    y = x.reshape(-1, heads, T, width).permute(0, 2, 1, 3).contiguous()
    return y.view(*lead, T, heads * width)
