"""The scores are divided by the root of the temperature; no root is asked for."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / torch.as_tensor(tau).sqrt()).softmax(dim)
    return (gates * v).sum(dim), gates
