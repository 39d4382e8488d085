"""Only the weights are returned."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights
