"""Yes or no is returned, not how much. A number shows how large the difference is, and against what it is small."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item() < 1e-5, averaged.item() < 1e-5
