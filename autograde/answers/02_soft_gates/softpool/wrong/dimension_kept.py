"""The pooled dimension stays with size 1. It must be gone."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim, keepdim=True), gates
