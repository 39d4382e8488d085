"""Queries and keys are both made with W_q, so W_k is never used. Asking and offering are two different things."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = x @ W_q.mT
    return q @ k.mT
