"""Only this head speaks, and the others are silent. It is the other way round."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.zeros(heads, 1, 1, dtype=x.dtype)
    keep[head] = 1
    return layer.W_o(merge_heads(messages * keep))
