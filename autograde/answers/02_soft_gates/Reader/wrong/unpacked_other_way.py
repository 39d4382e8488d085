"""The pool returns first the output, then the gates. Here they are unpacked the other way round."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        gates, pooled = self.pool(x)
        return self.head(pooled).squeeze(-1), gates
