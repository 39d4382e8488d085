"""Diego, partly wrong: forgets to divide by √d. Loses `attention`, and `SelfAttention`, which uses it."""
# from: release
# expect: scores=3 attention=0 SelfAttention=0
# says: the scores are not divided by √d

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    return (x @ W_q.T) @ (x @ W_k.T).transpose(-1, -2)

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(f"q {tuple(q.shape)}, k {tuple(k.shape)} and v {tuple(v.shape)} do not fit")
    s = q @ k.transpose(-1, -2)
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("there is a query without a key")
        s = s.masked_fill(~mask, -torch.inf)
    gates = F.softmax(s, dim=-1)
    return gates @ v, gates

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
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (out + x) if self.residual else out, gates
