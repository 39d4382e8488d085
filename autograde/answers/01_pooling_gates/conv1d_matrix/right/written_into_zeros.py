"""Weights written into zeros; the gradient by loops."""

def conv1d_matrix(w, n):
    (k,) = w.shape
    if k % 2 != 1:
        raise ValueError(f"k={k} is even")
    W = torch.zeros(n, n, dtype=w.dtype)
    for i in range(n):
        for a in range(k):
            j = i + a - k // 2
            if 0 <= j < n:
                W[i, j] = w[a]
    return W


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("no middle weight")
    n, half = p.shape[-1], k // 2
    result = torch.zeros(k, dtype=p.dtype)
    for a in range(k):
        for i in range(n):
            j = i + a - half
            if 0 <= j < n:
                result[a] += (g[..., i] * p[..., j]).sum()
    return result
