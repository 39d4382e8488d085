"""That is the gradient of the output with respect to x. In a soft gate a value also moves the gates; values with names give the weights alone."""

def mixing_weights(pool, x):
    if len(x) < 2:
        raise ValueError("at least two windows")
    leaf = x.clone().requires_grad_()
    weights = torch.autograd.grad(pool(leaf, leaf[..., None]).sum(), leaf)[0]
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
