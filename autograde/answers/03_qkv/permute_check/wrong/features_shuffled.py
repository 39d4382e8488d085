"""The features are shuffled, not the tokens. Tokens stand in the last dimension but one."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm % x.shape[-1]])
    moved = (shuffled - out[..., perm % x.shape[-1]]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item(), averaged.item()
