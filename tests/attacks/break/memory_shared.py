"""Memory grows where no process seems to hold it: shared memory, anonymous files, pipes (it stops at 4 GiB)."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import mmap, os

hoard, block = [], b"x" * (64 << 20)
for number in range(32):
    area = mmap.mmap(-1, 64 << 20)                     # shared and anonymous
    area.write(block)
    file = os.memfd_create(f"hoard{number}")           # a file that is nowhere
    os.write(file, block)
    hoard.append((area, file))
print("ESCAPED: 4 GiB of shared memory")

# %% twin: free before attention
import torch
import torch.multiprocessing

shared = torch.zeros(1 << 20).share_memory_()       # 4 MiB, as a DataLoader makes them
print(shared.is_shared())
