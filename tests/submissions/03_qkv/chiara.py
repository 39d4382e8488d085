"""Chiara, excellent and talkative: matrix products, with notes of her own, prints, a warning in every call,
a progress bar on stderr and a figure. None of that may cost a point. All points."""
# from: release
# expect: scores=3 attention=4 SelfAttention=4

# %% free after setup
import sys
import time
import warnings

import matplotlib.pyplot as plt


def progress(steps, what):
    """A progress bar, drawn over itself on stderr as the well-known libraries do it."""
    for step, item in enumerate(steps, 1):
        yield item
        sys.stderr.write(f"\r{what}: {'#' * step}{'.' * (len(steps) - step)} {step}/{len(steps)}")
    sys.stderr.write("\n")


for _ in progress(range(20), "warming up"):
    time.sleep(0.005)

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    print("scores of x", tuple(x.shape))
    q = torch.matmul(x, W_q.transpose(0, 1))  # (..., T, d)
    k = torch.matmul(x, W_k.transpose(0, 1))  # (..., T, d)
    return torch.matmul(q, k.transpose(-2, -1))  # (..., T, T)

# %% free before test_scores
# How do the scores spread when the width grows?
widths = [1, 4, 16, 64, 256]
spread = [scores(torch.randn(50, d), torch.eye(d), torch.eye(d)).fill_diagonal_(0).std().item() for d in widths]
plt.loglog(widths, spread, "o-")
plt.xlabel("width d")
plt.ylabel("std of the scores")
plt.show()
spread[-1]

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    warnings.warn("my attention is not fused, so it may be slow", stacklevel=2)
    if q.size(-1) != k.size(-1):
        raise ValueError(f"q has width {q.size(-1)} but k has {k.size(-1)}")
    if k.size(-2) != v.size(-2):
        raise ValueError(f"k has {k.size(-2)} tokens but v has {v.size(-2)}")
    s = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5  # (..., Tq, Tk)
    if mask is not None:
        blocked = torch.logical_not(mask)
        if blocked.all(dim=-1).any():
            raise ValueError("at least one query has no key left")
        s = torch.masked_fill(s, blocked, float("-inf"))
    gates = torch.softmax(s, dim=-1)
    print(f"gates {tuple(gates.shape)}, largest {gates.max():.3f}", file=sys.stderr)
    return torch.matmul(gates, v), gates

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        mixed, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        after = self.W_out(mixed)
        return after + x if self.residual else after, gates

# %% free at end
for picture in progress([data.sky_or_sea().A] * 3, "pictures"):
    SelfAttention(3, 2, 3)(picture)
get_ipython().run_line_magic("timeit", "-n 1 -r 1 SelfAttention(3, 2, 3)(picture)")
