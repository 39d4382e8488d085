"""Boris, excellent: thinks in indices and writes everything with einsum and bare parameters. He handed in
the second download, `hw (1).ipynb`, which is recognised by its cells. All points."""
# from: release
# file: hw (1).ipynb
# says: hw (1).ipynb
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2

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
    f, h, w = image.shape
    asks = torch.zeros(h, w, dtype=image.dtype)
    if min(query) < 0 or query[0] > h - 1 or query[1] > w - 1:
        raise ValueError(f"query {query} outside")
    asks[query[0], query[1]] = 1
    gates = layer(image.reshape(1, f, h * w).transpose(1, 2))[1]
    return torch.einsum("t,bts->s", asks.flatten(), gates).unflatten(0, (h, w))

# %% permute_check
def permute_check(layer, x, perm):
    T = x.shape[-2]
    P = torch.zeros(T, T, dtype=x.dtype)
    for place, token in enumerate(perm.tolist()):
        P[place, token] = 1
    ones = torch.full((1, T), 1 / T, dtype=x.dtype)
    before, after = P @ layer(x)[0], layer(P @ x)[0]
    return [(a - b).abs().amax().item() for a, b in ((after, before), (ones @ after, ones @ before))]

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
        self.look = SelfAttention(f, d, f, residual=False)
        self.weight = nn.Parameter(torch.randn(f) / math.sqrt(f))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, images, mask=None):
        x, gates = self.look(self.stem(images), mask)
        return torch.einsum("btf,f->bt", x, self.weight) + self.bias, gates
