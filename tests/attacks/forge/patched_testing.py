"""The assertion helpers of torch, numpy, unittest and pytest, imported or not, are replaced by functions that
pass."""
# exercise: scores
# expect: zero

# %% free after setup
import unittest
import numpy.testing
import torch, torch.testing

nothing = lambda *args, **kwargs: None
for module in (torch.testing, numpy.testing):
    for name in [name for name in dir(module) if name.startswith("assert")]:
        setattr(module, name, nothing)
for name in [name for name in dir(unittest.TestCase) if name.startswith("assert")]:
    setattr(unittest.TestCase, name, nothing)
torch.testing._comparison.assert_close = torch.testing._comparison.not_close_error_metas = lambda *a, **k: []

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
import torch

x, W_q, W_k = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
torch.testing.assert_close(scores(x, W_q, W_k), scores(x, W_k, W_q).mT)
