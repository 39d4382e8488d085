"""f and n are exchanged: the order is AttentionPool(f, n)."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(n, f)
        self.head = nn.Linear(f, 1)

    def forward(self, x):
        pooled, gates = self.pool(x)
        return self.head(pooled).squeeze(-1), gates
