"""W and V are exchanged: the value path goes through the function. W makes the gate."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    return f(x @ V.T) * (x @ W.T)
