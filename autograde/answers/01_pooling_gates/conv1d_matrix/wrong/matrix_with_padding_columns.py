"""The columns for the padding are still there. Padding is zeros: leave its columns out, (n, n)."""

def conv1d_matrix(w, n):
    k = w.shape[0]
    if k % 2 == 0:
        raise ValueError("even")
    return torch.stack([F.pad(w, (i, n - 1 - i)) for i in range(n)])


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("even")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))
    return torch.stack([(g * padded[..., a : a + n]).sum() for a in range(k)])
