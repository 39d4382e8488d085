"""Gradients are switched off for the whole notebook: a test that asks for gradients fails, at home and here."""
# exercise: none
# expect: graded

# %% free after setup
import torch

torch.set_grad_enabled(False)

# %% twin: free after setup
import torch

with torch.no_grad():
    print(torch.ones(3, requires_grad=True).sum().requires_grad)
