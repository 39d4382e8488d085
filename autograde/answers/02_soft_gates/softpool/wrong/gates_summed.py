"""The gates are added up without the values; that is always 1."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return gates.sum(dim), gates
