"""One query after the other, with a softmax of its own below the largest allowed score."""

def attention(q, k, v, mask=None):
    (*lead, Tq, d), Tk = q.shape, v.shape[-2]
    if tuple(k.shape[-2:]) != (Tk, d):
        raise ValueError(f"keys {tuple(k.shape)} do not fit queries of width {d} and {Tk} values")
    may = torch.ones(*lead, Tq, Tk, dtype=torch.bool) if mask is None else mask.expand(*lead, Tq, Tk)
    rows = []
    for query, allowed in zip(q.unbind(-2), may.unbind(-2)):
        if (allowed.sum(-1) == 0).any():
            raise ValueError("one query is left without a key")
        s = torch.einsum("...d,...jd->...j", query, k) * d**-0.5
        lowest = torch.full_like(s, torch.finfo(s.dtype).min)
        top = torch.where(allowed, s, lowest).amax(-1, keepdim=True).detach()
        e = torch.where(allowed, (torch.where(allowed, s, top) - top).exp(), torch.zeros_like(s))
        rows.append(e / e.sum(-1, keepdim=True))
    gates = torch.stack(rows, -2)
    return sum(gates[..., j, None] * v[..., j, None, :] for j in range(Tk)), gates
