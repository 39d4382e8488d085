"""One matrix of zeros and ones for each weight."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 != 1: raise ValueError("k must be odd")
    E = torch.zeros(k, n, n, dtype=w.dtype)
    for a in range(k):
        for i in range(n):
            j = i + a - k // 2
            if 0 <= j < n: E[a, i, j] = 1
    return torch.einsum("a,aij->ij", w, E)
def tied_gradient(p, g, k):
    if k % 2 != 1: raise ValueError("k must be odd")
    p, g = p.reshape(-1, p.shape[-1]), g.reshape(-1, g.shape[-1])
    n = p.shape[1]
    total = torch.zeros(k, dtype=p.dtype)
    for a in range(k):
        for i in range(n):
            j = i + a - k // 2
            if 0 <= j < n: total[a] += (g[:, i] * p[:, j]).sum()
    return total
