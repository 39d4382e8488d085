"""The kind is "swiglu" if nothing is said. The card says "glu"."""

def glu(x, W, V, kind="swiglu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    return f(x @ W.T) * (x @ V.T)
