"""Puts the shuffled result back in order instead of shuffling the other."""

def permute_check(layer, x, perm):
    back = torch.empty_like(perm)
    back[perm] = torch.arange(len(perm))
    with torch.no_grad():
        plain, _ = layer(x)
        mixed, _ = layer(x[..., perm, :])
    restored = mixed[..., back, :]
    moved = max((restored - plain).max().item(), (plain - restored).max().item())
    averaged = torch.linalg.vector_norm(mixed.mean(dim=-2) - plain.mean(dim=-2), ord=float("inf"))
    return moved, averaged.item()
