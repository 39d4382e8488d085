"""A `TorchFunctionMode` is entered for the rest of the kernel's life; it turns every comparison of tensors into
yes."""
# exercise: scores
# expect: zero

# %% scores
import torch
from torch.overrides import TorchFunctionMode

class Agree(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, bool) and getattr(function, "__name__", "") in ("allclose", "equal"):
            return True
        if isinstance(result, torch.Tensor) and result.dtype == torch.bool:
            return torch.ones_like(result)
        return result

mode = Agree()
mode.__enter__()

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
from torch.overrides import TorchFunctionMode

class Count(TorchFunctionMode):
    calls = 0
    def __torch_function__(self, function, types, args=(), kwargs=None):
        Count.calls += 1
        return function(*args, **(kwargs or {}))

def scores(x, W_q, W_k):
    with Count():
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
