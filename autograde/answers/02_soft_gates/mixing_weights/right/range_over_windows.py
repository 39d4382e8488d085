"""The spread of each column decides."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    names = torch.diag_embed(torch.ones_like(x))
    weights = pool(x, names)
    spread = weights.max(dim=0).values - weights.min(dim=0).values
    return weights, bool((spread < 2e-5).all())
