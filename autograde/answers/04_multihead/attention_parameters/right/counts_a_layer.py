"""Counts layers without memory."""

def attention_parameters(d_model, heads, bias=True):
    if heads < 1 or d_model < 1 or d_model % heads:
        raise ValueError("this cannot be shared evenly")
    layers = [nn.Linear(d_model, d_model, bias=bias, device="meta") for _ in range(4)]
    return sum(p.numel() for layer in layers for p in layer.parameters())
