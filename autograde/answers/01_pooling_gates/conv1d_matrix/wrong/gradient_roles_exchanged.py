"""p and g are exchanged: the filter slides over p, g stands still. As it is, the weights come out in reverse."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError
    i = torch.arange(n); a = i[None] - i[:, None] + k//2
    return torch.where((a >= 0) & (a < k), w[a.clamp(0, k-1)], torch.zeros((), dtype=w.dtype))
def tied_gradient(p, g, k):
    if k % 2 == 0: raise ValueError
    return (F.pad(g, (k//2, k//2)).unfold(-1, k, 1) * p[..., None]).reshape(-1, k).sum(0)
