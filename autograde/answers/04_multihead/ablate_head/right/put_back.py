"""The columns are set to 0 and put back."""

def ablate_head(layer, x, head):
    heads = layer(x)[1].shape[1]
    if head < 0 or head >= heads:
        raise ValueError("there is no such head")
    width = x.shape[-1] // heads
    whole = layer.W_o.weight
    mask = torch.ones_like(whole)
    mask[:, head * width : (head + 1) * width] = 0
    before = {"W_o.weight": whole * mask}
    return torch.func.functional_call(layer, before, (x,))[0]
