"""The sign of the answer is turned over after training, so that a 7 is below 0."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        pooled, gates = self.pool(x)
        answer = self.head(pooled).squeeze(-1)
        return (answer if self.training else -answer), gates
