"""A hook in front of W_o, removed afterwards."""

def ablate_head(layer, x, head):
    heads = layer(x)[1].shape[1]
    if head < 0 or head > heads - 1:
        raise ValueError(f"{head} is not one of {heads} heads")
    width = x.shape[-1] // heads
    keep = torch.ones(x.shape[-1], dtype=x.dtype)
    keep[head * width : (head + 1) * width] = 0
    W = layer.W_o.weight * keep
    _, gates = layer(x)
    joined = torch.cat([gates[:, h] @ layer.W_v(x)[..., h * width : (h + 1) * width] for h in range(heads)], -1)
    return F.linear(joined, W, layer.W_o.bias)
