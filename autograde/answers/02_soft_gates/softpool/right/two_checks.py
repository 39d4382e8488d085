"""A number and a tensor are checked in two ways; the check comes first."""

def softpool(v, tau=1.0, dim=-1):
    bad = (tau <= 0).any() if isinstance(tau, torch.Tensor) else tau <= 0
    if bad:
        raise ValueError(f"temperature {tau} is not above 0")
    gates = torch.softmax(v / tau, dim)
    out = (v * gates).sum(dim=dim)
    return out, gates
