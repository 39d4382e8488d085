"""The gates multiply the scores v / τ. They multiply the values."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = v / tau
    gates = s.softmax(dim)
    return (gates * s).sum(dim), gates
