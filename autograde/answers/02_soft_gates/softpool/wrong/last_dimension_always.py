"""The softmax always runs over the last dimension, whatever `dim` says."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(-1)
    return (gates * v).sum(dim), gates
