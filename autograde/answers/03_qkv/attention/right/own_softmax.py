"""A softmax of its own, stable, with the mask as a factor."""

def attention(q, k, v, mask=None):
    d = q.shape[-1]
    if d != k.shape[-1]:
        raise ValueError(f"width of q is {d}, width of k is {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k has {k.shape[-2]} tokens, v has {v.shape[-2]}")
    s = (q / d**0.5) @ k.mT
    allowed = torch.ones_like(s, dtype=torch.bool) if mask is None else mask.expand(s.shape)
    if (allowed.sum(-1) == 0).any():
        raise ValueError("there is a query without any key")
    top = s.masked_fill(~allowed, -1e30).max(-1, keepdim=True).values
    e = torch.exp((s - top).clamp(max=0)) * allowed
    gates = e / e.sum(-1, keepdim=True)
    return gates @ v, gates
