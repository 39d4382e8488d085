"""Each query meets only the key of its own token. A score is needed for every pair, a (T, T) matrix."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = x @ W_k.mT
    return (q * k).sum(-1)
