"""torch.bmm; the second moment instead of the deviation, since the mean is 0."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    g = torch.Generator().manual_seed(1000 + seed)
    q = sigma * torch.randn((queries, d), generator=g)
    k = sigma * torch.randn((queries, keys, d), generator=g)
    s = torch.bmm(k, q.unsqueeze(-1)).squeeze(-1)
    result = {"largest": s, "largest_scaled": s.div(d**0.5)}
    result = {name: F.softmax(value, -1).topk(1).values.mean().item() for name, value in result.items()}
    return result | {"predicted": (d * sigma**4) ** 0.5, "measured": s.square().mean().sqrt().item()}
