"""Compares the place of each value with the winner's."""

def hardmax(v, dim=-1):
    dim = dim % v.dim()
    shape = [1] * v.dim()
    shape[dim] = v.shape[dim]
    places = torch.arange(v.shape[dim]).reshape(shape)
    return (places == v.argmax(dim, keepdim=True)).to(v.dtype)
