"""The matrix is made of numbers (torch.tensor, .item(), .tolist()), so that no gradient finds its way back to w."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0:
        raise ValueError("even")
    W = torch.zeros(n, n, dtype=w.dtype)
    for i in range(n):
        for a in range(k):
            if 0 <= i + a - k // 2 < n:
                W[i, i + a - k // 2] = w[a].item()
    return W


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("even")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))
    return torch.stack([(g * padded[..., a : a + n]).sum() for a in range(k)])
