"""The line runs around its edge (roll). Beyond the edge are zeros."""

def conv1d_matrix(w, n):
    k, place = len(w), torch.arange(n)
    if k % 2 == 0:
        raise ValueError("even")
    which = place - place[:, None] + k // 2
    inside = (which >= 0) & (which < k)
    return torch.where(inside, w[which.clamp(0, k - 1)], torch.zeros_like(w[0]))


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("even")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))
    return torch.stack([(g * p.roll(k // 2 - a, -1)).sum() for a in range(k)])
