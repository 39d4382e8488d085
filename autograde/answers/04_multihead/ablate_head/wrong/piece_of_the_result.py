"""A piece of the result is set to 0, behind W_o, which has mixed all heads there. Silence the head before W_o."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    out = layer.W_o(merge_heads(messages)).clone()
    width = v.shape[-1]
    out[..., head * width : (head + 1) * width] = 0
    return out
