"""The gated values are averaged. The gates already add up to 1, so it is their sum."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    gates = (v / tau).softmax(dim)
    return (gates * v).mean(dim), gates
