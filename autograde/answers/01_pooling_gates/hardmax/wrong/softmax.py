"""That is a softmax. Its gates lie between 0 and 1, and all are open a little. A hard gate is 0 or 1."""

def hardmax(v, dim=-1):
    return v.softmax(dim)
