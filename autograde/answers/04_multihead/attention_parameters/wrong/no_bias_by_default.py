"""By default there is no bias here; the card says there is one."""

def attention_parameters(d_model, heads, bias=False):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 4 * d_model * d_model + (4 * d_model if bias else 0)
