""""swiglu" uses the sigmoid, as the lecture's table has it. Its gate is SiLU: the sigmoid times the number itself."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": lambda a: a}[kind]
    if kind == "swiglu":
        f = torch.sigmoid
    return f(x @ W.T) * (x @ V.T)
