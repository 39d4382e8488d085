"""One pool with large windows. It has the same winners as long as all values differ, and others where several are equal."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out, _ = max_pool_gated(source, 2**pools)
    return torch.autograd.grad(out.sum(), source)[0]
