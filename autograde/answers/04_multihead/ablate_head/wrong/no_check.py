"""Heads that there are not are accepted, or end in an IndexError. Raise ValueError."""

def ablate_head(layer, x, head):
    _, gates = layer(x)
    heads = gates.shape[1]
    v = split_heads(layer.W_v(x), heads)
    messages = gates @ v
    keep = torch.ones(heads, 1, 1, dtype=x.dtype)
    keep[head] = 0
    return layer.W_o(merge_heads(messages * keep))
