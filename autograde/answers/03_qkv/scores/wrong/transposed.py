"""Rows and columns are exchanged. Row i must belong to the query of token i, so the queries stand on the left of the product."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = x @ W_k.mT
    return k @ q.mT
