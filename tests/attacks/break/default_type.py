"""Right answers for tensors of any type; the default type is float64 from now on."""
# exercise: none
# expect: keeps
# spares: scores, attention

# %% free after setup
import torch

torch.set_default_dtype(torch.float64)
torch.set_printoptions(sci_mode=True)
torch.manual_seed(7)
