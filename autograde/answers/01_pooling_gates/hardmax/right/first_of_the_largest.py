"""Of the places that hold the largest value, the first: the running count is 1 there."""

def hardmax(v, dim=-1):
    is_max = v == v.max(dim=dim, keepdim=True)[0]
    first = is_max & (is_max.cumsum(dim) == 1)
    return first.type_as(v)
