"""The largest score of the whole tensor is subtracted. In windows far below it every exponential becomes 0, and 0 / 0 is NaN."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = v / tau
    grown = (s - s.max()).exp()
    gates = grown / grown.sum(dim, keepdim=True)
    return (gates * v).sum(dim), gates
