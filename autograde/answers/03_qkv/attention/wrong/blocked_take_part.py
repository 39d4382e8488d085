"""Blocked keys still take part before they are taken away: the largest score is subtracted over all keys, or the softmax
runs over all and the rest is divided by its sum. When a blocked score is far above the others, these become 0, and 0 / 0
is NaN. Take the largest score that the mask allows, or block the scores before the softmax.

torch's own softmax may be used; then fill the blocked scores with minus infinity first.
"""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has width {q.shape[-1]}, k {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys, {v.shape[-2]} values")
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    e = torch.exp(s - s.amax(-1, keepdim=True))
    if mask is not None:
        e = e * mask
    gates = e / e.sum(-1, keepdim=True)
    return gates @ v, gates
