"""Only the answers are returned. The card asks for answers and gates."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        return self.head(self.pool(x)[0]).squeeze(-1)
