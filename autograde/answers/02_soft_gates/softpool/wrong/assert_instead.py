"""A bad temperature meets an `assert`, which raises AssertionError. The card asks for a ValueError."""

def softpool(v, tau=1.0, dim=-1):
    assert (torch.as_tensor(tau) > 0).all(), "tau must be above 0"
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim), gates
