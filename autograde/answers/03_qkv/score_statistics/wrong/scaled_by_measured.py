"""The scores are divided by their measured spread. That holds sigma, too; the scale of attention knows the width d alone."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q = sigma * torch.randn(queries, 1, d, generator=generator)
    k = sigma * torch.randn(queries, keys, d, generator=generator)
    s = (q * k).sum(-1)
    return {
        "predicted": math.sqrt(d) * sigma**2,
        "measured": s.std().item(),
        "largest": s.softmax(-1).amax(-1).mean().item(),
        "largest_scaled": (s / s.std()).softmax(-1).amax(-1).mean().item(),
    }
