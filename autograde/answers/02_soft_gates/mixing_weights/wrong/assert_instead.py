"""One window meets an `assert`, which raises AssertionError. The card asks for a ValueError."""

def mixing_weights(pool, x):
    assert len(x) >= 2
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
