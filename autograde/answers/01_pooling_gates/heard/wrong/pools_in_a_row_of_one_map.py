"""Each pool was asked about x again, and the masks were multiplied. The second pool sees what came out of the first."""

def heard(x, pools):
    mask = torch.ones_like(x)
    for i in range(pools):
        source = x.detach().clone().requires_grad_()
        out, _ = max_pool_gated(source, 2)
        if i and (out.shape[-1] % 2**i or out.shape[-2] % 2**i):
            raise ValueError("cannot be halved so often")
        mask = mask * torch.autograd.grad(out.sum(), source)[0]
    return mask
