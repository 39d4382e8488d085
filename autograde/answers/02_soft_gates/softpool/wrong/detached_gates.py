"""The gates are cut off from the gradient. A value also moves its own gate."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim).detach()
    return (gates * v).sum(dim), gates
