"""|j - i| forgets on which side a weight stands: w1 and w3 are added on both. Compare j - i with a - k//2."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError
    i = torch.arange(n)
    W = torch.zeros(n, n, dtype=w.dtype)
    for a in range(k):
        m = (i[None] - i[:, None]).abs() == abs(a - k//2)
        W = W + m * w[a]
    return W
def tied_gradient(p, g, k):
    if k % 2 == 0: raise ValueError
    return (F.pad(p, (k//2, k//2)).unfold(-1, k, 1) * g[..., None]).reshape(-1, k).sum(0)
