"""Head by head."""

def attention_parameters(d_model, heads, bias=True):
    if min(heads, d_model) <= 0 or d_model % heads != 0:
        raise ValueError(f"{d_model} / {heads}")
    width, total = d_model // heads, 0
    for _ in range(heads):
        total += 3 * (width * d_model + (width if bias else 0))
    return total + d_model * d_model + (d_model if bias else 0)
