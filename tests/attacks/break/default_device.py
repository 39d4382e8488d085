"""New tensors are made on the meta device from now on, where they hold no numbers."""
# exercise: none
# expect: graded

# %% free after setup
import torch

torch.set_default_device("meta")

# %% twin: free after setup
import torch

torch.set_default_device("cpu")
with torch.device("meta"):
    print(torch.zeros(3).device)
