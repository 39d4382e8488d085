"""The softmax runs over the queries. Each query shares out its gate among its keys, so it must run over the keys."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q = sigma * torch.randn(queries, 1, d, generator=generator)
    k = sigma * torch.randn(queries, keys, d, generator=generator)
    s = (q * k).sum(-1)
    return {
        "predicted": math.sqrt(d) * sigma**2,
        "measured": s.std().item(),
        "largest": s.softmax(0).amax(0).mean().item(),
        "largest_scaled": (s / math.sqrt(d)).softmax(0).amax(0).mean().item(),
    }
