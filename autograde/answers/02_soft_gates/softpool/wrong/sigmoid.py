"""Each gate is a sigmoid of its own score. In a window the gates share one sum, which a softmax gives."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = torch.sigmoid(v / tau)
    return (gates * v).sum(dim), gates
