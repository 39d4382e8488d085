"""The mask is made of True and False. It must have the type of x."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    return torch.autograd.grad(out.sum(), source)[0] > 0
