"""The columns of W_o are set to 0 and stay so: the layer is broken afterwards. Work on a copy, or on what the head hears."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    width = v.shape[-1]
    layer.W_o.weight.data[:, head * width : (head + 1) * width] = 0
    return layer(x)[0]
