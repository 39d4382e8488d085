"""The draws have standard deviation 1, and sigma is multiplied into the measured spread afterwards. The gates never see it."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(queries, 1, d, generator=generator)
    k = torch.randn(queries, keys, d, generator=generator)
    s = (q * k).sum(-1)
    return {
        "predicted": math.sqrt(d) * sigma**2,
        "measured": sigma**2 * s.std().item(),
        "largest": s.softmax(-1).amax(-1).mean().item(),
        "largest_scaled": (s / math.sqrt(d)).softmax(-1).amax(-1).mean().item(),
    }
