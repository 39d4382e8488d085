"""The gates run over `dim`, but the sum always runs over the last dimension."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(-1), gates
