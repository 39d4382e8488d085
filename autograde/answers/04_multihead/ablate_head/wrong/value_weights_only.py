"""The head's rows of W_v are set to 0, but its bias still speaks. All that the head hears must be 0."""

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
    weight = layer.W_v.weight.clone()
    weight[head * width : (head + 1) * width] = 0
    v = split_heads(F.linear(x, weight, layer.W_v.bias), heads)
    return layer.W_o(merge_heads(gates @ v))
