"""The mean of the outputs was taken, so that the gradients are small numbers. With the sum they are 1 where somebody hears."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.mean(), source)[0]
