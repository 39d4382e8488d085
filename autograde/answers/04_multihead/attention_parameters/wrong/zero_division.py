"""heads = 0 ends in a ZeroDivisionError. The card asks for ValueError."""

def attention_parameters(d_model, heads, bias=True):
    if d_model % heads or d_model < 1 or heads < 1:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model + (4 * d_model if bias else 0)
