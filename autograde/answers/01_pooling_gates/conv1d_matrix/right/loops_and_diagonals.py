"""The matrix by loops; the gradient as sums of diagonals of the outer product."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0:
        raise ValueError("no middle weight")
    rows = []
    for i in range(n):
        row = [w[j - i + k // 2] if 0 <= j - i + k // 2 < k else w.new_zeros(()) for j in range(n)]
        rows.append(torch.stack(row))
    return torch.stack(rows)


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("no middle weight")
    n = p.shape[-1]
    outer = (g.reshape(-1, n).T @ p.reshape(-1, n))
    return torch.stack([outer.diagonal(a - k // 2).sum() for a in range(k)]) if k // 2 < n else torch.stack(
        [outer.diagonal(a - k // 2).sum() if abs(a - k // 2) < n else outer.new_zeros(()) for a in range(k)]
    )
