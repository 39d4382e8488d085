""""reglu" uses a step, 0 or 1. ReLU keeps the size of what is above 0."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    if kind == "reglu":
        f = lambda a: (a > 0).to(a.dtype)
    return f(x @ W.T) * (x @ V.T)
