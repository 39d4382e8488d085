"""The gates are set to 0 after the softmax, so the rest of the row no longer sums to 1. Block the scores before the softmax."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    gates = s.softmax(-1)
    if mask is not None:
        gates = gates.masked_fill(~mask, 0.0)
    return gates @ v, gates
