"""The number is a float. `/` makes floats; `//` and `*` of whole numbers stay whole."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * heads * (d_model / heads) * (d_model + bool(bias))
