"""Chiara, excellent and talkative: matrix products, with notes of her own, prints, a warning in every call,
a progress bar on stderr and a figure. None of that may cost a point. All points."""
# from: release
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2

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

# %% score_statistics
def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    g = torch.Generator().manual_seed(1000 + seed)
    q = sigma * torch.randn((queries, d), generator=g)
    k = sigma * torch.randn((queries, keys, d), generator=g)
    s = torch.bmm(k, q.unsqueeze(-1)).squeeze(-1)
    result = {"largest": s, "largest_scaled": s.div(d**0.5)}
    result = {name: F.softmax(value, -1).topk(1).values.mean().item() for name, value in result.items()}
    return result | {"predicted": (d * sigma**4) ** 0.5, "measured": s.square().mean().sqrt().item()}

# %% gates_for
def gates_for(query, layer, image):
    y, x = query
    _, h, w = image.size()
    if y not in range(h) or x not in range(w):
        raise ValueError("no such position")
    _, gates = layer(image.permute(1, 2, 0).reshape(h * w, -1))
    return gates.view(h, w, h, w)[y, x]

# %% permute_check
def permute_check(layer, x, perm):
    token = x.dim() - 2
    straight = layer(x)[0]
    crooked = layer(torch.index_select(x, token, perm))[0]
    difference = crooked - straight.index_select(token, perm)
    total = (crooked.sum(token) - straight.sum(token)) / x.shape[token]
    return float(difference.abs().max()), float(total.abs().max())

# %% gate_cost
def gate_cost(tokens, heads=1, layers=1, bytes=4):
    for name, value in {"tokens": tokens, "heads": heads, "layers": layers, "bytes": bytes}.items():
        if value < 1:
            raise ValueError(f"{name} is {value}, it must be at least 1")
    gates = math.prod([tokens, tokens, heads, layers])
    return gates, math.prod([gates, bytes])

# %% Classifier
class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.before, self.after = nn.LayerNorm(f), nn.LayerNorm(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x, gates = self.attention(self.before(self.stem(images)), mask)
        return self.head(self.after(x)).reshape(len(images), 4), gates

# %% written query_and_max_pooling
# The query makes the score belong to a **pair** of tokens. Max pooling has only the thing that is looked at.

# %% free at end
for picture in progress([data.sky_or_sea().A] * 3, "pictures"):
    SelfAttention(3, 2, 3)(picture)
get_ipython().run_line_magic("timeit", "-n 1 -r 1 SelfAttention(3, 2, 3)(picture)")
