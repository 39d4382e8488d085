"""The result is a tensor subclass whose `__torch_function__` answers every comparison with yes; `check.probe` is
replaced so that, in one process, the subclass would survive."""
# exercise: scores
# expect: zero

# %% scores
import torch
from course_utils import check

check.probe = lambda function: function

class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") == "grad":
            return tuple(value.as_subclass(cls) for value in args[1])
        result = super().__torch_function__(function, types, args, kwargs or {})
        if getattr(function, "__name__", "") in ("allclose", "equal"):
            return True
        if isinstance(result, torch.Tensor) and result.dtype == torch.bool:
            return torch.ones_like(result.as_subclass(torch.Tensor))
        return result

def scores(x, W_q, W_k):
    return (0 * (x @ W_q.mT) @ (x @ W_k.mT).mT).as_subclass(Agreeable)

# %% twin: scores
import torch

class Named(torch.Tensor):
    """A tensor that knows what its axes are called."""
    axes = "B T D"

def scores(x, W_q, W_k):
    x = x.as_subclass(Named)
    assert x.axes.endswith("D")
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
