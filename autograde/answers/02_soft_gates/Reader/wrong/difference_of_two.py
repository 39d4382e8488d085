"""The head has two outputs, and their difference answers. The card asks for a single one."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 2)

    def forward(self, x):
        pooled, gates = self.pool(x)
        scores = self.head(pooled)
        return scores[:, 1] - scores[:, 0], gates
