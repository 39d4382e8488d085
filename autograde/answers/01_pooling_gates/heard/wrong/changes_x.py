"""x itself was told to keep a gradient, or was changed. Work on a copy: x.detach().clone()."""

def heard(x, pools):
    y, masks = x.detach(), []
    for _ in range(pools):
        y, _ = max_pool_gated(y, 2)
    big = y.repeat_interleave(2**pools, -1).repeat_interleave(2**pools, -2)
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    mask = torch.autograd.grad(out.sum(), source)[0]
    x.mul_(mask)
    return mask
