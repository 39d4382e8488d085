""""swiglu" is the gate path times the sigmoid of the value path. SiLU takes the gate path in both places."""

def glu(x, W, V, kind="glu"):
    a, b = x @ W.T, x @ V.T
    if kind == "glu":
        return a.sigmoid() * b
    if kind == "swiglu":
        return a * b.sigmoid()
    if kind == "reglu":
        return F.relu(a) * b
    if kind == "bilinear":
        return a * b
    raise ValueError(kind)
