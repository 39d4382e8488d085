"""max and average are exchanged."""

def pool_backward(v, g, kind):
    if kind == "average":
        return g[..., None] * hardmax(v)
    if kind == "max":
        return (g / v.shape[-1])[..., None].expand_as(v).clone()
    raise ValueError(kind)
