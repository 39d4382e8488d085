"""Squares were added up: their gradient is twice the value. Add up the outputs themselves."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.square().sum(), source)[0]
