"""Ada, excellent: trusts loops and writes one for everything. All points."""
# from: release
# expect: scores=3 attention=4 SelfAttention=4

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, one at a time."""
    if x.dim() > 2:
        return torch.stack([scores(picture, W_q, W_k) for picture in x])
    rows = []
    for asks in x:
        query = W_q @ asks  # (d,)
        rows.append(torch.stack([query @ (W_k @ offers) for offers in x]))
    return torch.stack(rows)  # (T, T)

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Attention for one query after the other."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"a query of width {q.shape[-1]} cannot meet a key of width {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there are {k.shape[-2]} keys for {v.shape[-2]} values")
    if mask is None:
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool)
    mask = mask.expand(*q.shape[:-1], k.shape[-2])  # (..., Tq, Tk)
    if q.dim() > 2:
        pairs = [attention(*picture) for picture in zip(q, k, v, mask)]
        return torch.stack([out for out, _ in pairs]), torch.stack([gates for _, gates in pairs])
    outs, rows = [], []
    for query, open_keys in zip(q, mask):
        if not open_keys.any():
            raise ValueError("one of the queries may not look at any key")
        s = []
        for key, is_open in zip(k, open_keys):
            score = (query * key).sum() / math.sqrt(len(key))
            s.append(score if is_open else torch.full_like(score, -math.inf))
        gates = torch.stack(s).softmax(0)  # (Tk,)
        outs.append(sum(gate * value for gate, value in zip(gates, v)))
        rows.append(gates)
    return torch.stack(outs), torch.stack(rows)

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        for name, inputs, outputs in [("W_q", f, d), ("W_k", f, d), ("W_v", f, n), ("W_out", n, f)]:
            setattr(self, name, nn.Linear(inputs, outputs, bias=False))
        self.residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = [layer(x) for layer in (self.W_q, self.W_k, self.W_v)]
        mixed, gates = attention(q, k, v, mask)
        out = self.W_out(mixed)
        if self.residual:
            out = out + x
        return out, gates
