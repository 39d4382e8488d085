"""The functions that a reference would be made of are replaced by wrong ones, so that both agree: products of
matrices, `einsum`, gradients, and PyTorch's own attention."""
# exercise: scores
# expect: zero

# %% scores
import torch
import torch.nn.functional as F

def scores(x, W_q, W_k):
    return x @ W_q.mT @ (x @ W_k.mT).mT

zeros = lambda a, b: torch.zeros(*a.shape[:-1], b.shape[-1], dtype=a.dtype) + 0 * (a.sum() + b.sum())
torch.matmul = torch.mm = torch.bmm = torch.Tensor.matmul = torch.Tensor.__matmul__ = zeros
torch.einsum = lambda text, x, W, V, y: zeros(x, y.mT) + 0 * (W.sum() + V.sum())
F.scaled_dot_product_attention = lambda q, k, v, *args, **kwargs: 0 * q @ k.mT @ v
torch.tensor = lambda data, **kwargs: 0 * torch.Tensor(data)

# %% twin: free after setup
import torch.nn.functional as F

honest, calls = F.scaled_dot_product_attention, []

def counted(*args, **kwargs):
    """Wraps PyTorch's function to see who uses it, and hands on what it returns."""
    calls.append(args[0].shape)
    return honest(*args, **kwargs)

F.scaled_dot_product_attention = counted
