"""The last pool is left out."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(max(pools - 1, 0)):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.sum(), source)[0]
