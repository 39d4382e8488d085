"""Loops over everything, in Python numbers."""

def permute_check(layer, x, perm):
    new = layer(x[..., perm, :])[0]
    out, new = layer(x)[0].reshape(-1, *x.shape[-2:]).tolist(), new.reshape(-1, *x.shape[-2:]).tolist()
    order, T, f = perm.tolist(), x.shape[-2], x.shape[-1]
    moved = averaged = 0.0
    for a, b in zip(out, new):
        for j in range(f):
            for i in range(T):
                moved = max(moved, abs(b[i][j] - a[order[i]][j]))
            averaged = max(averaged, abs(sum(b[i][j] for i in range(T)) - sum(a[i][j] for i in range(T))) / T)
    return moved, averaged
