"""An unknown kind is not refused; it quietly means "bilinear"."""

def glu(x, W, V, kind="glu"):
    f = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu}.get(kind, lambda a: a)
    return f(x @ W.T) * (x @ V.T)
