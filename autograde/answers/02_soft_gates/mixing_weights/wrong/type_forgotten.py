"""The values are float32, whatever the windows are. They need the type of x."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    weights = pool(x, torch.eye(x.shape[1]).repeat(len(x), 1, 1))
    return weights, bool(((weights - weights[0]).abs() <= 1e-5).all())
