"""Memory grows at the top level in large tensors that are written to (it stops by itself at 4 GiB)."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import torch

hoard = []
for block in range(16):
    hoard.append(torch.ones(64 << 20))       # 256 MiB each
print("ESCAPED: 4 GiB of memory in tensors")

# %% twin: free before attention
import torch

large = torch.ones(256 << 20)       # 1 GiB, used and given back
print(large.sum())
del large
