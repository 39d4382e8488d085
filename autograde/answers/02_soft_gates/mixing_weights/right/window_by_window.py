"""The pool is asked for one window at a time."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    names = torch.eye(x.shape[1], dtype=x.dtype)[None]
    weights = torch.cat([pool(window[None], names) for window in x])
    return weights, all(torch.allclose(row, weights[0], rtol=0, atol=1e-5) for row in weights)
