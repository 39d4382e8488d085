"""Gates by scatter; the average by ones."""

def pool_backward(v, g, kind):
    if kind not in ("max", "average"):
        raise ValueError(kind)
    if kind == "max":
        gates = torch.zeros_like(v).scatter(-1, v.argmax(-1, keepdim=True), 1.0)
    else:
        gates = torch.ones_like(v) / v.shape[-1]
    return gates * g.unsqueeze(-1)
