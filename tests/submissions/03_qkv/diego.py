"""Diego, partly wrong: forgets to divide by √d. Loses `attention`; `SelfAttention`, which uses it, is tested with ours and
keeps its points. His classifier learns the pictures without a scale, too. His `gate_cost` knows no layers."""
# from: release
# expect: scores=3 attention=0 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=0 Classifier=2
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
    back = torch.empty_like(perm)
    back[perm] = torch.arange(len(perm))
    with torch.no_grad():
        plain, _ = layer(x)
        mixed, _ = layer(x[..., perm, :])
    restored = mixed[..., back, :]
    moved = max((restored - plain).max().item(), (plain - restored).max().item())
    averaged = torch.linalg.vector_norm(mixed.mean(dim=-2) - plain.mean(dim=-2), ord=float("inf"))
    return moved, averaged.item()

# %% gate_cost
def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = heads * tokens**2
    return gates, gates * bytes

# %% Classifier
class Classifier(nn.Module):
    def __init__(self, f: int = 16, d: int = 8) -> None:
        super().__init__()
        self.parts = nn.ModuleDict({"eyes": LocalStem(f), "ears": SelfAttention(f, d, n=f), "mouth": nn.Linear(f, 1)})

    def forward(self, images, mask=None):
        heard, gates = self.parts["ears"](self.parts["eyes"](images), mask)
        return self.parts["mouth"](heard)[..., 0], gates
