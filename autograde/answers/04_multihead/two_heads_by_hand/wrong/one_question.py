"""Both heads have the same gates, from a key that is wings plus hull. Each head has a key of its own."""

def two_heads_by_hand(x):
    heard, rows = [], []
    for feature in (1, 2):
        q, k, v = 2 * x[..., 0], x[..., feature], x[..., feature]
        s = q[..., :, None] * (x[..., 1] + x[..., 2])[..., None, :]
        g = s.softmax(-1)
        rows.append(g)
        heard.append((g * v[..., None, :]).sum(-1))
    joined = torch.stack(heard, -1)
    return heard[0] - heard[1], joined, torch.stack(rows, -3)
