"""The values are divided by the temperature in place, which changes what the caller gave."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    whole = v.clone()
    v /= tau
    gates = v.softmax(dim)
    return (gates * whole).sum(dim), gates
