"""The head's gates are made even. It still hears the mean of all values; silent means 0."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    even = torch.full_like(gates, 1 / gates.shape[-1])
    which = torch.arange(heads)[:, None, None] == head
    gates = torch.where(which, even, gates)
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    return layer.W_o(merge_heads(messages))
