"""The two results are exchanged: moved comes first, then averaged."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return averaged.item(), moved.item()
