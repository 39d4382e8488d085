"""Everything is computed in float64 and stays there. The result must have the type of `v`."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v.double() / tau).softmax(dim)
    return (gates * v.double()).sum(dim), gates
