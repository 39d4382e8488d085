"""The temperature is never used: every softmax is that of τ = 1."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = v.softmax(dim)
    return (gates * v).sum(dim), gates
