"""`super().__init__()` is missing, so nn.Module cannot take parts."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        pooled, gates = self.pool(x)
        return self.head(pooled).squeeze(-1), gates
