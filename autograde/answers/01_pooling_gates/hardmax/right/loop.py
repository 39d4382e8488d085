"""A loop over rows, written into zeros."""

def hardmax(v, dim=-1):
    moved = v.detach().movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    gates = torch.zeros_like(rows)
    for i, row in enumerate(rows):
        best = 0
        for j in range(len(row)):
            if row[j] > row[best]:
                best = j
        gates[i, best] = 1
    return gates.reshape(moved.shape).movedim(-1, dim)
