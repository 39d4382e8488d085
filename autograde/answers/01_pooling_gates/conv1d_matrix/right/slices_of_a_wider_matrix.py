"""A wider matrix with the whole filter in each row, cut to the middle; tied gradients by slices."""

def conv1d_matrix(w, n):
    k = w.shape[0]
    if k % 2 == 0:
        raise ValueError("an odd number of weights is needed")
    rows = [F.pad(w, (i, n - 1 - i)) for i in range(n)]
    return torch.stack(rows)[:, k // 2 : k // 2 + n]


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("an odd number of weights is needed")
    half, n, parts = k // 2, p.shape[-1], []
    for shift in range(-half, half + 1):
        if abs(shift) >= n:
            parts.append(torch.zeros((), dtype=p.dtype))
        elif shift < 0:
            parts.append((g[..., -shift:] * p[..., :shift]).sum())
        else:
            parts.append((g[..., : n - shift] * p[..., shift:]).sum())
    return torch.stack(parts)
