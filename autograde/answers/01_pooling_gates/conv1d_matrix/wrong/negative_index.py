"""j can be negative at the left edge, and Python then counts from the end. Leave these out: 0 <= j < n."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError
    W = w.new_zeros(n, n)
    for i in range(n):
        for a in range(k):
            j = i + a - k // 2
            if j < n: W[i, j] = w[a]
    return W
def tied_gradient(p, g, k):
    if k % 2 == 0: raise ValueError
    return (F.pad(p, (k//2, k//2)).unfold(-1, k, 1) * g[..., None]).reshape(-1, k).sum(0)
