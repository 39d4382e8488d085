"""You turned torch's error into a ValueError, but a width of 1 raises none: multiplying by broadcasting quietly stretches it. Compare the widths yourself."""

def attention(q, k, v, mask=None):
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    try:
        s = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        gates = s.softmax(-1)
        return gates @ v, gates
    except RuntimeError as error:
        raise ValueError(str(error))
