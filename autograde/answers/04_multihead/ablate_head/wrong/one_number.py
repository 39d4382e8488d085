"""One number of each token is set to 0. A head has a piece of D / heads numbers."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    merged = merge_heads(messages)
    merged[:, :, head] = 0
    return layer.W_o(merged)
