"""There are as many names as windows. Each of the n values of a window needs one."""

def mixing_weights(pool, x):
    N, n = x.shape
    if N < 2:
        raise ValueError("one window proves nothing")
    w = pool(x, torch.eye(N, dtype=x.dtype).expand(N, N, N))
    return w, bool(((w - w[0]).abs() < 1e-5).all())
