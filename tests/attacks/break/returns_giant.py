"""The result takes no memory where it is made and 4 TiB where it is copied: a single number, expanded."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import torch

def scores(x, W_q, W_k):
    return torch.zeros(1).expand(1 << 20, 1 << 20)

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    large = torch.zeros(1, dtype=x.dtype).expand(1 << 40)      # takes no memory
    return (x @ W_q.mT) @ (x @ W_k.mT).mT + large[0]
