"""The gates are a softmax over the channels. Each channel opens by itself."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    a = x @ W.T
    if kind == "glu":
        return a.softmax(-1) * (x @ V.T)
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    return f(a) * (x @ V.T)
