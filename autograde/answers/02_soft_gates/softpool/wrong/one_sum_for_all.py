"""All windows share one sum, so that the gates of a single window do not add up to 1."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = v / tau
    grown = (s - s.max()).exp()
    gates = grown / grown.sum()
    return (gates * v).sum(dim), gates
