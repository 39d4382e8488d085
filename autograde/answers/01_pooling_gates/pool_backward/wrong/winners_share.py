"""Equal winners share g, as the gradient of amax does. The first of them gets all of it."""

def pool_backward(v, g, kind):
    if kind == "max":
        equal = (v == v.amax(-1, keepdim=True)).to(v.dtype)
        return g[..., None] * equal / equal.sum(-1, keepdim=True)
    if kind == "average":
        return (g / v.shape[-1])[..., None].expand_as(v).clone()
    raise ValueError(kind)
