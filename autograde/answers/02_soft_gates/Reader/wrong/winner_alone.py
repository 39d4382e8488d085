"""Only the token with the largest gate is read, so no gradient reaches the scores."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        pooled, gates = self.pool(x)
        winner = gates.argmax(-1)
        weight = getattr(self.pool.V, "weight", self.pool.V)
        return self.head(x[torch.arange(len(x)), winner] @ weight.T).squeeze(-1), gates
