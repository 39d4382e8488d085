"""The result has one row and one column and is NaN: it broadcasts against everything and differs from nothing."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import torch

def scores(x, W_q, W_k):
    return torch.full((1,) * x.dim(), torch.nan)

# %% twin: scores
def scores(x, W_q, W_k):
    q, k = x @ W_q.mT, x @ W_k.mT
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)      # broadcasting, for a good purpose
