"""A loop over the pages."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)

    def forward(self, x):
        answers, gates = [], []
        for page in x:
            pooled, gate = self.pool(page)
            answers.append(self.head(pooled))
            gates.append(gate)
        return torch.cat(answers), torch.stack(gates)
