"""Counts PyTorch's layer."""

def attention_parameters(d_model, heads, bias=True):
    if d_model < 1 or heads < 1 or d_model / heads != d_model // heads:
        raise ValueError("heads must divide d_model, and both be at least 1")
    layer = nn.MultiheadAttention(d_model, heads, bias=bias, device="meta")
    return sum(math.prod(p.shape) for p in layer.parameters())
