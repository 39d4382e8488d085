"""Upper and lower case are the same here, so "GLU" is not refused."""

def glu(x, W, V, kind="glu"):
    kind = kind.lower()
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError("no such kind")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    return f(x @ W.T) * (x @ V.T)
