"""The filter may be longer than the line: diagonals that lie outside of the matrix must be left out."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError
    return sum(torch.diag(w[a].expand(n - abs(a - k//2)), a - k//2) for a in range(k))
def tied_gradient(p, g, k):
    if k % 2 == 0: raise ValueError
    return (F.pad(p, (k//2, k//2)).unfold(-1, k, 1) * g[..., None]).reshape(-1, k).sum(0)
