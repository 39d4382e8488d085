"""One place after the other gets the value 1."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    columns = []
    for j in range(x.shape[1]):
        values = torch.zeros(*x.shape, 1, dtype=x.dtype)
        values[:, j] = 1
        columns.append(pool(x, values)[:, 0])
    weights = torch.stack(columns, dim=1)
    return weights, (weights - weights[0]).abs().max().item() <= 1e-5
