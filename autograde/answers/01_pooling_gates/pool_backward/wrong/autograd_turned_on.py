"""Autograd is turned on again and asked. Write down yourself where g goes: gate times g."""

def pool_backward(v, g, kind):
    if kind not in ("max", "average"): raise ValueError
    with torch.enable_grad():
        v = v.clone().requires_grad_()
        out = v.max(-1).values if kind == "max" else v.mean(-1)
        return torch.autograd.grad(out, v, g)[0]
