"""The gate is cut off from the gradient, so W never learns."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    return f(x @ W.T).detach() * (x @ V.T)
