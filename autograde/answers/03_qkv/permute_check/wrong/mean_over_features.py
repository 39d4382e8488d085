"""The average runs over the features of a token. It must run over the tokens."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-1) - out.mean(-1)).abs().max()
    return moved.item(), averaged.item()
