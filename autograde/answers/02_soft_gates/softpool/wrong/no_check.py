"""A temperature of 0 or below is not refused."""

def softpool(v, tau=1.0, dim=-1):
    gates = (v / tau).softmax(dim)
    return (gates * v).sum(dim), gates
