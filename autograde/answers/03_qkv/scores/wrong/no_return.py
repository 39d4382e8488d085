"""The function computes the scores but does not return them."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = x @ W_k.mT
    result = q @ k.mT
