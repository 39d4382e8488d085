"""Two numbers come out for each page. One is asked for."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 2)

    def forward(self, x):
        pooled, gates = self.pool(x)
        return self.head(pooled), gates
