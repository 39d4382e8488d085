"""The tokens of the caller are shuffled in place, so that both sides see the same tokens and x is not what it was."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    x[:] = x[..., perm, :]
    shuffled, _ = layer(x)
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item(), averaged.item()
