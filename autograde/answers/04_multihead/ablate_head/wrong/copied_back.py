"""The columns of W_o are set to 0 and copied back, before the gradient has read them. Work on copy.deepcopy(layer)."""

def ablate_head(layer, x, head):
    heads = layer(x)[1].shape[1]
    if head < 0 or head >= heads:
        raise ValueError(f"no head {head}")
    width = x.shape[-1] // heads
    before = layer.W_o.weight.detach().clone()
    with torch.no_grad():
        layer.W_o.weight[:, head * width : (head + 1) * width] = 0
    out = layer(x)[0]
    with torch.no_grad():
        layer.W_o.weight.copy_(before)
    return out
