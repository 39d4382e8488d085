"""A hook on W_o silences the head and is never removed, so that the head stays silent afterwards."""

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

    def silence(part, args):
        joined = args[0].clone()
        joined[..., head * width : (head + 1) * width] = 0
        return (joined,)

    layer.W_o.register_forward_pre_hook(silence)
    return layer(x)[0]
