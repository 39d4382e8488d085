"""A loop compares each window with the first one."""

def mixing_weights(pool, x):
    if x.shape[0] <= 1:
        raise ValueError("give at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)

    fixed = True
    for row in weights[1:]:
        if (row - weights[0]).abs().max() > 1e-5:
            fixed = False
    return weights, fixed
