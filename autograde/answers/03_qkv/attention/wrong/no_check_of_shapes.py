"""Shapes that do not fit must raise ValueError with your own message. torch raises a RuntimeError, or stretches a width of 1 without a word."""

def attention(q, k, v, mask=None):
    if mask is not None and not mask.any(-1).all():
        raise ValueError("a query may attend to no key")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    gates = s.softmax(-1)
    return gates @ v, gates
