"""The global seed inside fork_rng, query and keys in one draw, the largest gates by vmap."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        drawn = torch.normal(0.0, sigma, (queries, 1 + keys, d))
    q, k = drawn.split([1, keys], dim=1)
    s = torch.bmm(k, q.mT)[..., 0]
    top = torch.func.vmap(lambda row: F.softmax(row, 0).max())
    return {
        "largest": float(top(s).mean()),
        "largest_scaled": float(top(s * d**-0.5).mean()),
        "measured": float(s.var().sqrt()),
        "predicted": d**0.5 * sigma * sigma,
    }
