"""SwiGLU takes GELU. Its gate goes through SiLU."""

def glu(x, W, V, kind="glu"):
    functions = {"glu": torch.sigmoid, "swiglu": F.gelu, "reglu": F.relu, "bilinear": lambda a: a}
    if kind not in functions:
        raise ValueError(f"there is no kind {kind}")
    return functions[kind](x @ W.T) * (x @ V.T)
