"""Equal to the largest, and no equal one before it."""

def hardmax(v, dim=-1):
    largest = v.max(dim=dim, keepdim=True).values
    equal = v == largest
    first = equal & (equal.cumsum(dim) == 1)
    return first.type_as(v)
