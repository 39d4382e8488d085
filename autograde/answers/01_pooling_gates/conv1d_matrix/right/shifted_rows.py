"""Each row is a piece of the padded weights; the gradient slides over windows of p."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError
    rows = []
    for i in range(n):
        row = torch.cat([torch.zeros(i, dtype=w.dtype), w, torch.zeros(n - 1 - i, dtype=w.dtype)])
        rows.append(row[k // 2 : k // 2 + n])
    return torch.stack(rows)
def tied_gradient(p, g, k):
    if not k % 2: raise ValueError
    n = p.shape[-1]
    P = F.pad(p, (k//2, k//2)).unfold(-1, k, 1)  # (..., n, k)
    return (P * g[..., None]).reshape(-1, k).sum(0)
