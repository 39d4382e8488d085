"""Folds both weights into one (f, f) matrix first."""

def scores(x, W_q, W_k):
    M = W_q.T @ W_k
    return x @ M @ x.mT
