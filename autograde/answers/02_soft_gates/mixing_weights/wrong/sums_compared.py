"""Only the sums of the weights are compared. Two windows may share a sum and differ in every place."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    sums = weights.sum(-1)
    return weights, bool(torch.allclose(sums, sums[:1], rtol=0, atol=1e-5))
