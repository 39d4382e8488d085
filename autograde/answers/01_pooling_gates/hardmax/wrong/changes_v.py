"""v itself was overwritten. A function leaves its input as it was: make a new tensor."""

def hardmax(v, dim=-1):
    first = v.argmax(dim, keepdim=True)
    return v.zero_().scatter_(dim, first, 1)
