"""The gates of average pools: everybody hears a little. A max pool lets one of four hear all."""

def heard(x, pools):
    source = x.detach().clone().requires_grad_()
    out = source
    for _ in range(pools):
        out = windows(out, 2).mean(-1)
    return torch.autograd.grad(out.sum(), source)[0]
