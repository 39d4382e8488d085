"""Logarithms of gates by logsumexp; the scale is shared between q and k; the mask is a bias of minus infinity."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("width of q and k")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("tokens of k and v")
    share = q.shape[-1] ** -0.25
    s = torch.einsum("...id,...jd->...ij", q * share, k * share)
    if mask is not None:
        if (~mask).all(-1).any():
            raise ValueError("a row without a key")
        s = s + torch.zeros(mask.shape, dtype=s.dtype).masked_fill(~mask, float("-inf"))
    gates = (s - torch.logsumexp(s, -1, keepdim=True)).exp()
    return torch.einsum("...ij,...jn->...in", gates, v), gates
