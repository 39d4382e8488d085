"""x itself was told to keep a gradient, and x.grad adds up from call to call. Work on a copy: x.detach().clone()."""

def heard(x: Tensor, pools: int) -> Tensor:
    x.requires_grad_()
    out = x
    for _ in range(pools):
        out = max_pool_gated(out, 2)[0]
    out.sum().backward()
    return x.grad
