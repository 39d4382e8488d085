"""Autograd is turned on again and asked for the gradient. Write down by hand what it does."""

def pool_backward(v: Tensor, g: Tensor, kind: str) -> Tensor:
    if kind not in ("max", "average"):
        raise ValueError("kind")
    with torch.enable_grad():
        v = v.clone().requires_grad_()
        out = v.max(-1).values if kind == "max" else v.mean(-1)
        return torch.autograd.grad(out, v, g)[0]
