"""The averages of the tokens that go in are compared. They never differ; what counts is what the layer makes of them."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (x[..., perm, :].mean(-2) - x.mean(-2)).abs().max()
    return moved.item(), averaged.item()
