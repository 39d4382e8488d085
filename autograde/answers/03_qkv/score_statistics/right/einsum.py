"""einsum, float64, and the variance predicted first."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    source = torch.Generator()
    source.manual_seed(seed)
    q = torch.normal(0.0, sigma, (queries, d), generator=source).double()
    k = torch.normal(0.0, sigma, (queries, keys, d), generator=source).double()
    s = torch.einsum("qd,qkd->qk", q, k)
    variance = d * (sigma * sigma) ** 2
    tops = [torch.softmax(t, dim=1).max(dim=1).values.mean() for t in (s, s * d**-0.5)]
    return dict(predicted=variance**0.5, measured=s.std(), largest=tops[0], largest_scaled=tops[1])
