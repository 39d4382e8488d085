"""Every score is NaN: no difference to NaN is larger than any tolerance."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
def scores(x, W_q, W_k):
    return float("nan") * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    result = torch.full((*x.shape[:-1], x.shape[-2]), torch.nan, dtype=x.dtype)     # NaN until it is filled
    result[...] = (x @ W_q.mT) @ (x @ W_k.mT).mT
    return result
