"""Emeka, partly wrong: swaps dimensions with `.view`, which fits in shape and mixes up the numbers, and
leaves the biases in the layers. Keeps `attention`."""
# from: release
# expect: scores=0 attention=4 SelfAttention=0
# says: biases, which nn.Linear has by default

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    q = x @ W_q.t()
    k = x @ W_k.t()
    k = k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])  # so that the shapes fit
    return q @ k

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("q and k must have the same width")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("k and v must have the same number of tokens")
    s = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        if mask.any(-1).logical_not().any():
            raise ValueError("each query needs at least one key")
        s = s + torch.zeros_like(mask, dtype=s.dtype).masked_fill(~mask, -math.inf)
    gates = s.softmax(-1)
    return gates @ v, gates

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        self.W_q = nn.Linear(f, d)
        self.W_k = nn.Linear(f, d)
        self.W_v = nn.Linear(f, n)
        self.W_out = nn.Linear(n, f)
        self.residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        mixed, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        y = self.W_out(mixed)
        if self.residual:
            y = y + x
        return y, gates
