"""Of equal values the last one wins. The first must."""

def hardmax(v, dim=-1):
    back = v.flip(dim)
    return torch.zeros_like(v).scatter(dim, back.argmax(dim, keepdim=True), 1).flip(dim)
