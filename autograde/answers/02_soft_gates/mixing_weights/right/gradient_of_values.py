"""The weights are the gradient with respect to the values, not to x."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    values = torch.zeros(*x.shape, 1, dtype=x.dtype, requires_grad=True)
    pool(x, values).sum().backward()
    weights = values.grad[..., 0]
    fixed = all(torch.allclose(row, weights[0], rtol=0, atol=1e-5) for row in weights)
    return weights, fixed
