"""A stable sort, of which the first place wins."""

def hardmax(v, dim=-1):
    order = torch.sort(v, dim=dim, descending=True, stable=True).indices
    place = order.narrow(dim, 0, 1)
    return torch.zeros(v.shape, dtype=v.dtype).scatter_(dim, place, 1.0)
