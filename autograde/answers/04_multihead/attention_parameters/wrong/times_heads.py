"""Everything is multiplied by the number of heads. A head is only d_model / heads wide, so the heads share what one would need."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return heads * (4 * d_model * d_model + (4 * d_model if bias else 0))
