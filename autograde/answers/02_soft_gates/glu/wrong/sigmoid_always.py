"""Every kind uses the sigmoid."""

def glu(x, W, V, kind="glu"):
    if kind not in ("glu", "swiglu", "reglu", "bilinear"):
        raise ValueError(f"no kind {kind}: choose glu, swiglu, reglu or bilinear")
    return torch.sigmoid(x @ W.T) * (x @ V.T)
