"""The average as an expanded view."""

def pool_backward(v, g, kind):
    if kind == "max":
        return hardmax(v) * g.reshape(*g.shape, 1)
    elif kind == "average":
        return (g / v.shape[-1]).unsqueeze(-1).expand(v.shape)
    else:
        raise ValueError(f"unknown kind {kind}")
