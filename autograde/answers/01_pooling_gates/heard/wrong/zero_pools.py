"""pools = 0 ends in an error. Without a pool everybody is heard."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out, _ = max_pool_gated(source, 2)
    for _ in range(pools - 1):
        out, _ = max_pool_gated(out, 2)
    if pools == 0:
        raise ValueError("no pool")
    return torch.autograd.grad(out.sum(), source)[0]
