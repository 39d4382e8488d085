"""The mask still hangs on x: a gradient could flow through it. Detach it."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.sum(), source)[0].requires_grad_()
