"""The gates are compared, the second thing that a layer returns. Only its result counts here."""

def permute_check(layer, x, perm):
    _, out = layer(x)
    _, shuffled = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item(), averaged.item()
