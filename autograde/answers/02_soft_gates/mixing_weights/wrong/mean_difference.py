"""Differences are averaged over all places. One that is large enough must count."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, bool((weights - weights[0]).abs().mean() <= 1e-5)
