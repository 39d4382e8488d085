"""A missing key becomes the ValueError."""

def glu(x, W, V, kind="glu"):
    functions = dict(glu=nn.Sigmoid(), swiglu=nn.SiLU(), reglu=nn.ReLU(), bilinear=nn.Identity())
    try:
        function = functions[kind]
    except KeyError:
        raise ValueError(f"kind must be one of {list(functions)}") from None
    return function(x @ W.T) * (x @ V.T)
