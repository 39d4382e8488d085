"""The answer goes through a sigmoid, so it is never below 0. The loss brings its own."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        pooled, gates = self.pool(x)
        return torch.sigmoid(self.head(pooled)).squeeze(-1), gates
