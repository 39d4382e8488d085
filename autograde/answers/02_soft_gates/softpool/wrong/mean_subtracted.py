"""The mean of the scores is subtracted, not the largest. Exponentials can still be too large."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    scores = v / tau
    grown = (scores - scores.mean(dim, keepdim=True)).exp()
    gates = grown / grown.sum(dim, keepdim=True)
    return (gates * v).sum(dim), gates
