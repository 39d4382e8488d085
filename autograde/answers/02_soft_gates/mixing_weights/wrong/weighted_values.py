"""The values of the window are given, so weight times value comes back. Give 1 and 0."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    weights = pool(x, torch.diag_embed(x))
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
