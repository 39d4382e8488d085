"""A new random order is drawn in place of the given one."""

def permute_check(layer, x, perm):
    perm = torch.randperm(x.shape[-2])
    out, _ = layer(x)
    shuffled, _ = layer(x[..., perm, :])
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()
    return moved.item(), averaged.item()
