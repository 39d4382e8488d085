"""Sven, a forger: puts a fake in place of `course_utils.check`, on which every check passes and every award is the full
one. Full marks in stock nbgrader; here no points: the judge imports its own."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0

# %% free after setup
import sys
import types

import course_utils


class Fake(types.ModuleType):
    """Whatever is asked of it, the answer is pleasant."""

    Failed = StudentError = type("Never", (Exception,), {})
    probe = staticmethod(lambda function: function)
    award = staticmethod(lambda points: 100)

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


real = check
check = course_utils.check = sys.modules["course_utils.check"] = Fake("course_utils.check")
check.normal, check.hidden = real.normal, real.hidden

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% attention
def attention(q, k, v, mask=None):
    return q.new_zeros(*q.shape[:-1], v.shape[-1]), q.new_ones(*q.shape[:-1], k.shape[-2])

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        for name, shape in {"W_q": (d, f), "W_k": (d, f), "W_v": (n, f), "W_out": (f, n)}.items():
            setattr(self, name, nn.Parameter(torch.zeros(shape)))

    def forward(self, x, mask=None):
        return x, x.new_ones(*x.shape[:-1], x.shape[-2])
