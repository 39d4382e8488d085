"""Sigma is taken for the variance of the numbers. It is their standard deviation; the draws are too wide or too narrow."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q = sigma**0.5 * torch.randn(queries, 1, d, generator=generator)
    k = sigma**0.5 * torch.randn(queries, keys, d, generator=generator)
    s = (q * k).sum(-1)
    return {
        "predicted": math.sqrt(d) * sigma,
        "measured": s.std().item(),
        "largest": s.softmax(-1).amax(-1).mean().item(),
        "largest_scaled": (s / math.sqrt(d)).softmax(-1).amax(-1).mean().item(),
    }
