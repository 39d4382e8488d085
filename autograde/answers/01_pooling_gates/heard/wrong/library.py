"""The library's max pool was called. Your own pool is what this exercise builds on."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        if out.shape[-1] % 2 or out.shape[-2] % 2:
            raise ValueError("cannot be halved")
        out = F.max_pool2d(out, 2)
    return torch.autograd.grad(out.sum(), source)[0]
