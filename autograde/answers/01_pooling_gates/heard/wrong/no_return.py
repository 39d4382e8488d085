"""Nothing is returned."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    mask = torch.autograd.grad(out.sum(), source)[0]
