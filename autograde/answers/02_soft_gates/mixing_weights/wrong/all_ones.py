"""Every place gets the value 1, so that only the sum of the weights comes back."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    weights = pool(x, torch.ones(*x.shape, 1, dtype=x.dtype)).expand_as(x)
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
