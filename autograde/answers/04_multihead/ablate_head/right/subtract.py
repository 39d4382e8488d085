"""The whole result without the head's part."""

def ablate_head(layer, x, head):
    out, gates = layer(x)
    count = gates.size(1)
    if head not in range(count):
        raise ValueError(f"heads are 0 to {count - 1}, not {head}")
    width = x.size(-1) // count
    piece = slice(head * width, (head + 1) * width)
    message = gates[:, head] @ layer.W_v(x)[..., piece]
    return out - message @ layer.W_o.weight[:, piece].T
