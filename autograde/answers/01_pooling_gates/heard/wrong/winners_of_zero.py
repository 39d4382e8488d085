"""The gradient of the squares is 0 where the winner is 0. Sum the outputs, not their squares."""

def heard(x, pools):
    y = x.detach().clone().requires_grad_()
    out = y
    for _ in range(pools): out = max_pool_gated(out, 2)[0]
    (out**2).sum().backward()
    return (y.grad != 0).to(x.dtype)
