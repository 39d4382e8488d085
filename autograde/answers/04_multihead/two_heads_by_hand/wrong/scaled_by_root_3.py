"""The scores are divided by √3, the width of x. Each head has width 1, so the scale is √1."""

def two_heads_by_hand(x):
    heard, rows = [], []
    for feature in (1, 2):
        q, k, v = 2 * x[..., 0], x[..., feature], x[..., feature]
        s = q[..., :, None] * k[..., None, :] / math.sqrt(x.shape[-1])
        g = s.softmax(-1)
        rows.append(g)
        heard.append((g * v[..., None, :]).sum(-1))
    joined = torch.stack(heard, -1)
    return heard[0] - heard[1], joined, torch.stack(rows, -3)
