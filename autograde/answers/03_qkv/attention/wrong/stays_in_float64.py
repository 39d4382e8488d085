"""The result comes back in float64 though q is float32. Computing in float64 is fine, but the next layer expects the type
that it gave: bring the result back at the end."""

def attention(q, k, v, mask=None):
    q, k, v = q.double(), k.double(), v.double()
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf)
    gates = s.softmax(-1)
    return gates @ v, gates
