"""The values of those who are heard were returned. The mask is 1 there."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.sum(), source)[0] * x
