"""The matrix as a sum of diagonals; the gradient by unfolding."""

def conv1d_matrix(w, n):
    k = w.numel()
    if k % 2 == 0:
        raise ValueError("even")
    W = torch.zeros((n, n), dtype=w.dtype)
    for a in range(k):
        shift = a - k // 2
        if abs(shift) < n:
            W = W + torch.diag(w[a].repeat(n - abs(shift)), shift)
    return W


def tied_gradient(p, g, k):
    if not k % 2:
        raise ValueError("even")
    met = F.pad(p, (k // 2, k // 2)).unfold(-1, k, 1)  # (..., n, k)
    return torch.einsum("...n,...nk->k", g, met)
