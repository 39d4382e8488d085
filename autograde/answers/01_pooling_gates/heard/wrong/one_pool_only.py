"""Only one pool was looked at, whatever pools says."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(1):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.sum(), source)[0]
