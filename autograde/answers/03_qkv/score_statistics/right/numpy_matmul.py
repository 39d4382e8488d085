"""numpy draws, a batched matrix product, a softmax by hand."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    import numpy as np

    rng = np.random.default_rng(seed)
    k = rng.normal(0, sigma, (queries, keys, d))
    q = rng.normal(0, sigma, (queries, d, 1))
    s = (k @ q)[..., 0]

    def top(t):
        e = np.exp(t - t.max(axis=1, keepdims=True))
        return (e / e.sum(axis=1, keepdims=True)).max(axis=1).mean()

    return {
        "predicted": np.sqrt(d) * sigma**2,
        "measured": s.std(),
        "largest": top(s),
        "largest_scaled": top(s / np.sqrt(d)),
    }
