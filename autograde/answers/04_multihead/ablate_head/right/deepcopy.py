"""A copy of the layer whose W_o does not read the head."""

def ablate_head(layer, x, head):
    from copy import deepcopy

    heads = layer(x)[1].shape[1]
    if not 0 <= head < heads:
        raise ValueError("no such head")
    width = x.shape[-1] // heads
    twin = deepcopy(layer)
    with torch.no_grad():
        twin.W_o.weight[:, head * width : (head + 1) * width].zero_()
    return twin(x)[0]
