"""The seed is not used, so that the same call gives other numbers each time."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    q = sigma * torch.randn(queries, 1, d)
    k = sigma * torch.randn(queries, keys, d)
    s = (q * k).sum(-1)
    return {
        "predicted": math.sqrt(d) * sigma**2,
        "measured": s.std().item(),
        "largest": s.softmax(-1).amax(-1).mean().item(),
        "largest_scaled": (s / math.sqrt(d)).softmax(-1).amax(-1).mean().item(),
    }
