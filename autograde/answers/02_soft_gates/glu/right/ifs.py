"""One branch for each kind."""

def glu(x, W, V, kind="glu"):
    a, b = F.linear(x, W), F.linear(x, V)
    if kind == "glu":
        return torch.sigmoid(a) * b
    if kind == "swiglu":
        return a * torch.sigmoid(a) * b
    if kind == "reglu":
        return a.clamp(min=0) * b
    if kind == "bilinear":
        return a * b
    raise ValueError("kind must be glu, swiglu, reglu or bilinear")
