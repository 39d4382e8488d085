"""A query that may attend to nothing gets a softmax over nothing but minus infinity, which is NaN. Look for such rows first and raise ValueError."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("widths of q and k differ")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("tokens of k and v differ")
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    gates = s.softmax(-1)
    return gates @ v, gates
