"""Only the first two windows are compared."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, bool(torch.allclose(weights[0], weights[1], rtol=0, atol=1e-5))
