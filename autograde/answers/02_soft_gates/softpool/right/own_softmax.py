"""The softmax is written out, with the largest score subtracted first."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = v / tau
    grown = (s - s.amax(dim, keepdim=True)).exp()
    gates = grown / grown.sum(dim, keepdim=True)
    return (gates * v).sum(dim), gates
