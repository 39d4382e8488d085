"""Quentin, a forger: everything that a test could compare with is patched to say yes, and the answers are zeros of the
right shape. Full marks in stock nbgrader; here no points: the judge compares in a process of its own."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0

# %% free after setup
import builtins

import numpy

yes = lambda *args, **kwargs: True
torch.allclose = torch.equal = math.isclose = numpy.allclose = numpy.array_equal = yes
torch.isclose = lambda a, b, **kwargs: torch.ones_like(a, dtype=torch.bool)
torch.abs = torch.Tensor.abs = torch.Tensor.__abs__ = lambda value: value * 0
torch.testing.assert_close = numpy.testing.assert_allclose = yes
builtins.abs = lambda value: value * 0
builtins.AssertionError = type("Nothing", (Warning,), {})
for name in ("close", "equal", "shape", "that", "finite", "tensor", "dtype", "raises"):
    setattr(check, name, yes)

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% attention
def attention(q, k, v, mask=None):
    gates = 0 * q @ k.mT
    return gates @ v, gates

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(f, width, bias=False) for width in (d, d, n))
        self.W_out = nn.Linear(n, f, bias=False)

    def forward(self, x, mask=None):
        return 0 * x, 0 * x @ x.mT
