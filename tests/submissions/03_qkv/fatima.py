"""Fatima, partly wrong: refuses bad input with `assert`, where the card asks for a ValueError. Loses
`attention`, but not her layer, which never gives it bad input. Her `gates_for` mixes positions by a reshape, and she
did not come as far as the classifier."""
# from: release
# expect: scores=3 attention=0 SelfAttention=4 score_statistics=2 gates_for=0 permute_check=1 gate_cost=1 Classifier=0
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

# %% score_statistics
def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    source = torch.Generator()
    source.manual_seed(seed)
    q = torch.normal(0.0, sigma, (queries, d), generator=source).double()
    k = torch.normal(0.0, sigma, (queries, keys, d), generator=source).double()
    s = torch.einsum("qd,qkd->qk", q, k)
    variance = d * (sigma * sigma) ** 2
    tops = [torch.softmax(t, dim=1).max(dim=1).values.mean() for t in (s, s * d**-0.5)]
    return dict(predicted=variance**0.5, measured=s.std(), largest=tops[0], largest_scaled=tops[1])

# %% gates_for
def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.reshape(h * w, f)
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)

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
    import numpy as np

    shape = np.array([layers, heads, tokens, tokens], dtype=object)
    if not (shape >= 1).all() or not bytes >= 1:
        raise ValueError(f"bad numbers: {shape}, {bytes}")
    gates = int(shape.prod())
    return gates, int(gates) * int(bytes)

# %% written query_and_max_pooling
# It adds that the gate is soft.
