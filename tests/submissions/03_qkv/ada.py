"""Ada, excellent: trusts loops and writes one for almost everything. All points."""
# from: release
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2

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
        s = (k * query).sum(-1) / math.sqrt(len(query))  # (Tk,)
        gates = torch.where(open_keys, s, -math.inf).softmax(0)
        outs.append((gates[:, None] * v).sum(0))
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

# %% score_statistics
def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    torch.manual_seed(seed)
    all_scores, largest, scaled = [], [], []
    for _ in range(queries):
        q = torch.randn(d) * sigma
        k = torch.randn(keys, d) * sigma
        s = k @ q
        all_scores.extend(s.tolist())
        largest.append(float(s.softmax(0).max()))
        scaled.append(float((s / math.sqrt(d)).softmax(0).max()))
    mean = sum(all_scores) / len(all_scores)
    spread = math.sqrt(sum((s - mean) ** 2 for s in all_scores) / len(all_scores))
    return {
        "predicted": sigma * sigma * d**0.5,
        "measured": spread,
        "largest": sum(largest) / queries,
        "largest_scaled": sum(scaled) / queries,
    }

# %% gates_for
def gates_for(query, layer, image):
    height, width = image.shape[-2:]
    places = [(r, c) for r in range(height) for c in range(width)]
    if tuple(query) not in places:
        raise ValueError("the query must be a position of the image")
    tokens = torch.stack([image[:, r, c] for r, c in places])
    looks = layer(tokens)[1][places.index(tuple(query))]
    picture = torch.empty(height, width, dtype=looks.dtype)
    for gate, (r, c) in zip(looks.detach(), places):
        picture[r, c] = gate
    return picture

# %% permute_check
def permute_check(layer, x, perm):
    new = layer(x[..., perm, :])[0]
    out, new = layer(x)[0].reshape(-1, *x.shape[-2:]).tolist(), new.reshape(-1, *x.shape[-2:]).tolist()
    order, T, f = perm.tolist(), x.shape[-2], x.shape[-1]
    moved = averaged = 0.0
    for a, b in zip(out, new):
        for j in range(f):
            for i in range(T):
                moved = max(moved, abs(b[i][j] - a[order[i]][j]))
            averaged = max(averaged, abs(sum(b[i][j] for i in range(T)) - sum(a[i][j] for i in range(T))) / T)
    return moved, averaged

# %% gate_cost
def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if any(number <= 0 for number in (tokens, heads, layers, bytes)):
        raise ValueError("none of them may be 0 or negative")
    gates = sum(tokens * tokens for _ in range(layers) for _ in range(heads))
    return [gates, bytes * gates]

# %% Classifier
class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.head = nn.Linear(f, 1)
        self.attend = SelfAttention(f, d, f)
        self.stem = LocalStem(f)

    def forward(self, images, mask=None):
        tokens = self.stem(images)
        tokens, gates = self.attend(tokens, mask)
        answers = []
        for quadrant in range(4):
            answers.append(self.head(tokens[:, quadrant]))
        return torch.cat(answers, dim=1), gates

# %% written query_and_max_pooling
# In a max pool the value decides for itself: the biggest wins and everybody gets the same. With a query the one who asks
# decides what counts. Think of two people reading one timetable: one wants to go north, one south. The timetable (keys) is
# the same, but each takes another line of it. A max pool would tell both of them the same departure.
