"""Wings are the values of both heads. The values of head 1 are hull."""

def two_heads_by_hand(x):
    heard, rows = [], []
    for feature in (1, 2):
        q, k, v = 2 * x[..., 0], x[..., feature], x[..., 1]
        s = q[..., :, None] * k[..., None, :]
        g = s.softmax(-1)
        rows.append(g)
        heard.append((g * v[..., None, :]).sum(-1))
    joined = torch.stack(heard, -1)
    return heard[0] - heard[1], joined, torch.stack(rows, -3)
