"""An assert raises AssertionError, and vanishes when Python runs with -O. Raise ValueError."""

def attention(q, k, v, mask=None):
    assert q.shape[-1] == k.shape[-1], "widths of q and k differ"
    assert k.shape[-2] == v.shape[-2], "tokens of k and v differ"
    assert mask is None or mask.any(-1).all(), "a query may attend to no key"
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    gates = s.softmax(-1)
    return gates @ v, gates
