"""Only no window at all is refused. One window can prove nothing, either."""

def mixing_weights(pool, x):
    if len(x) == 0:
        raise ValueError("no windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
