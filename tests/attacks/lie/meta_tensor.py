"""The result is a tensor on the meta device: it has a shape and a type and holds no numbers."""
# exercise: scores
# expect: zero
# spares: all
# says: holds no numbers

# %% scores
import torch

def scores(x, W_q, W_k):
    return torch.zeros(*x.shape[:-1], x.shape[-2], device="meta")

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    plan = torch.empty(x.shape, device="meta") @ torch.empty(W_q.shape, device="meta").mT      # only to see the shape
    assert plan.shape[-1] == W_q.shape[0]
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
