"""Boris, excellent: thinks in indices and writes everything with einsum and bare parameters. All points."""
# from: release
# expect: scores=3 attention=4 SelfAttention=4

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    q = torch.einsum("...tf,df->...td", x, W_q)
    k = torch.einsum("...tf,df->...td", x, W_k)
    return torch.einsum("...qd,...kd->...qk", q, k)

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    (Tq, d), (Tk, e), (Tv, n) = q.shape[-2:], k.shape[-2:], v.shape[-2:]
    if d != e:
        raise ValueError(f"widths of q and k: {d} and {e}")
    if Tk != Tv:
        raise ValueError(f"tokens of k and v: {Tk} and {Tv}")
    s = torch.einsum("...qd,...kd->...qk", q, k) * d**-0.5
    if mask is not None:
        if (mask.sum(-1) == 0).any():
            raise ValueError("a row of the mask is False everywhere")
        s = torch.where(mask, s, torch.finfo(s.dtype).min)
    e = torch.exp(s - s.amax(-1, keepdim=True))  # the largest becomes exp(0)
    gates = e / e.sum(-1, keepdim=True)
    return torch.einsum("...qk,...kn->...qn", gates, v), gates

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        start = lambda *shape: nn.Parameter(torch.randn(shape) / math.sqrt(shape[1]))
        self.W_q, self.W_k, self.W_v, self.W_out = start(d, f), start(d, f), start(n, f), start(f, n)
        self.residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = (torch.einsum("...tf,of->...to", x, W) for W in (self.W_q, self.W_k, self.W_v))
        mixed, gates = attention(q, k, v, mask)
        return torch.einsum("...tn,fn->...tf", mixed, self.W_out) + self.residual * x, gates
