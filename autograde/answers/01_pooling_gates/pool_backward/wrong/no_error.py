"""Everything that is not max counts as average. An unknown kind must raise ValueError."""

def pool_backward(v, g, kind):
    if kind == "max":
        return g[..., None] * hardmax(v)
    return (g / v.shape[-1])[..., None].expand_as(v).clone()
