"""The first dimension is shuffled. In a batch that exchanges pictures (or fails); tokens stand in the last dimension but one."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[perm])
    moved = (shuffled - out[perm]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item(), averaged.item()
