"""The losers' gates shut only where they are below the largest of zero and the values: a row of negative values has no winner."""

def hardmax(v, dim=-1):
    best, gates = torch.zeros_like(v.select(dim, 0)), torch.zeros_like(v)
    for i in range(v.shape[dim]):
        better = v.select(dim, i) > best
        best = torch.where(better, v.select(dim, i), best)
        gates = gates * (~better).unsqueeze(dim)
        gates.select(dim, i).copy_(better)
    return gates
