"""The smallest value won."""

def hardmax(v, dim=-1):
    return torch.zeros_like(v).scatter(dim, v.argmin(dim, keepdim=True), 1)
