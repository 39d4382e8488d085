""".grad is kept for leaves only, and a clone of what requires a gradient is none. Use x.detach().clone().requires_grad_()."""

def heard(x: Tensor, pools: int) -> Tensor:
    y = x.requires_grad_().clone()
    out = y
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    out.sum().backward()
    return y.grad
