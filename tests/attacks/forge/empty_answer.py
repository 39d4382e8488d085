"""The result is an empty tensor: `all()` of nothing is true."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import torch

def scores(x, W_q, W_k):
    return torch.zeros(0)

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    """Collects rows in a tensor that starts empty."""
    q, k = x @ W_q.mT, x @ W_k.mT
    rows = torch.zeros(*x.shape[:-2], 0, x.shape[-2], dtype=x.dtype)
    for row in range(x.shape[-2]):
        rows = torch.cat([rows, q[..., row : row + 1, :] @ k.mT], dim=-2)
    return rows
