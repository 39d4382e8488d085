"""g itself is put at the winner's place."""

def pool_backward(v, g, kind):
    if kind == "max":
        return torch.zeros_like(v).scatter(-1, v.argmax(-1, keepdim=True), g.unsqueeze(-1))
    elif kind == "average":
        return torch.stack([g / v.shape[-1]] * v.shape[-1], dim=-1)
    raise ValueError("unknown kind: " + kind)
