"""All dimensions of size 1 are taken away. Only dim goes."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim).squeeze(), gates
