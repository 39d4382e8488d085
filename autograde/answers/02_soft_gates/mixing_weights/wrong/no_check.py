"""A single window is not refused; of course it agrees with itself."""

def mixing_weights(pool, x):
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
