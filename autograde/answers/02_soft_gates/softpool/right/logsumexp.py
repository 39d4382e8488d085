"""The gates come from the logarithm of their sum."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = v / tau
    gates = (s - s.logsumexp(dim, keepdim=True)).exp()
    return torch.sum(gates * v, dim=dim), gates
