"""Negative numbers are accepted. Both must be at least 1."""

def attention_parameters(d_model, heads, bias=True):
    if heads == 0 or d_model == 0 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model + (4 * d_model if bias else 0)
