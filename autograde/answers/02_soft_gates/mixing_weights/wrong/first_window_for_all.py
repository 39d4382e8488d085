"""The weights of the first window are returned for all."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    fixed = bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
    return weights[:1].expand_as(weights), fixed
