"""torch.where with the smallest number of the dtype."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = torch.einsum("...qd,...kd->...qk", q, k) * k.shape[-1] ** -0.5
    if mask is not None:
        s = torch.where(mask, s, torch.finfo(s.dtype).min)
    gates = torch.softmax(s, -1)
    return torch.einsum("...qk,...kn->...qn", gates, v), gates
