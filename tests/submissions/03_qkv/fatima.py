"""Fatima, partly wrong: refuses bad input with `assert`, where the card asks for a ValueError. Loses
`attention` only, since her layer never gives it bad input."""
# from: release
# expect: scores=3 attention=0 SelfAttention=4
# says: ValueError

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    return F.linear(x, W_q) @ F.linear(x, W_k).mT

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    assert q.shape[-1] == k.shape[-1], "q and k have different widths"
    assert k.shape[-2] == v.shape[-2], "k and v have different numbers of tokens"
    assert mask is None or mask.any(dim=-1).all(), "a query has no key"
    s = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(mask == False, -math.inf)
    gates = torch.softmax(s, -1)
    return gates @ v, gates

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        self.W_q = nn.Parameter(torch.empty(d, f))
        self.W_k = nn.Parameter(torch.empty(d, f))
        self.W_v = nn.Parameter(torch.empty(n, f))
        self.W_out = nn.Parameter(torch.empty(f, n))
        self.residual = residual
        for weight in self.parameters():
            nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        out, gates = attention(x @ self.W_q.mT, x @ self.W_k.mT, x @ self.W_v.mT, mask)
        out = out @ self.W_out.mT
        return x + out if self.residual else out, gates
