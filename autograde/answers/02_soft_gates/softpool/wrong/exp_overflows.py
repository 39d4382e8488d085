"""The exponentials are taken of the scores as they are. With large values they are infinite; subtract the largest score of each window first."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    grown = (v / tau).exp()
    gates = grown / grown.sum(dim, keepdim=True)
    return (gates * v).sum(dim), gates
