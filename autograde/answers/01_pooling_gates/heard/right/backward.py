"""backward() on a copy."""

def heard(x, pools):
    copy = x.detach().clone()
    copy.requires_grad = True
    y = copy
    for _ in range(pools):
        y = max_pool_gated(y, 2)[0]
    y.sum().backward()
    return copy.grad.detach()
