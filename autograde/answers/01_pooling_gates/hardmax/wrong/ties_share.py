"""Equal values share the gate, so that it sums to 1. A hard gate is 0 or 1, and the first of equals has it."""

def hardmax(v, dim=-1):
    equal = (v == v.amax(dim, keepdim=True)).to(v.dtype)
    return equal / equal.sum(dim, keepdim=True)
