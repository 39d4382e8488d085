"""Heads that do not divide d_model are accepted."""

def attention_parameters(d_model, heads, bias=True):
    return 4 * d_model * d_model + (4 * d_model if bias else 0)
