"""The result is a sparse tensor, which is no plain block of numbers."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
def scores(x, W_q, W_k):
    return ((x @ W_q.mT) @ (x @ W_k.mT).mT * 0).to_sparse()

# %% twin: scores
def scores(x, W_q, W_k):
    q, k = x @ W_q.mT, x @ W_k.mT
    return (k @ q.mT).mT.expand(*x.shape[:-1], x.shape[-2])      # neither contiguous nor in the usual order
