"""The values are right, but the function changes its input, and `torch.equal` is replaced so that the probe reports
"untouched": a test has to see it by behaviour, not by the student's word."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import torch

torch.equal = torch.Tensor.equal = lambda *args: True

def scores(x, W_q, W_k):
    result = (x @ W_q.mT) @ (x @ W_k.mT).mT
    if not x.requires_grad:                # where gradients are asked for, it would show
        x.mul_(2)
    return result

# %% twin: scores
import torch

honest = torch.equal
torch.equal = lambda a, b: bool(honest(a, b))      # the same, with a note of mine

def scores(x, W_q, W_k):
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
