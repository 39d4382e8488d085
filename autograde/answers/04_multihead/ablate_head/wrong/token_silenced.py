"""A token is silenced, in all heads: [:, :, head] is the third dimension of (B, heads, T, width). The heads are the second."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    messages[:, :, head : head + 1] = 0
    return layer.W_o(merge_heads(messages))
