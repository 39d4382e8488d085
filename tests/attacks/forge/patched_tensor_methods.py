"""Methods of `torch.Tensor` itself are replaced: differences are zero, comparisons and truth values are yes."""
# exercise: scores
# expect: zero

# %% scores
import torch

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

T = torch.Tensor
true = lambda self, *args, **kwargs: torch.ones((), dtype=torch.bool)
T.__eq__ = T.__le__ = T.__ge__ = T.__lt__ = T.eq = T.le = T.ge = T.all = T.isclose = true
T.allclose = T.equal = T.__bool__ = lambda self, *args, **kwargs: True
T.__sub__ = T.__rsub__ = T.sub = lambda self, *args, **kwargs: self * 0
T.item = T.__float__ = lambda self: 0.0

# %% twin: scores
import torch

torch.Tensor.show_shape = lambda self: str(tuple(self.shape))     # an extra method takes nothing away

def scores(x, W_q, W_k):
    result = (x @ W_q.mT) @ (x @ W_k.mT).mT
    assert result.show_shape().startswith("(")
    return result
