"""The biases are missing: one for each output of each of the four linear layers."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model
