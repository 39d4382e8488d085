"""The average runs over all numbers at once. It must run over the tokens only, and keep batch and features."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean() - out.mean()).abs().max()
    return moved.item(), averaged.item()
