"""The weights have other names than w and V."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.score = nn.Linear(f, 1, bias=False)
        self.value = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.score(x).squeeze(-1).softmax(-1)
        return (gates[..., None] * self.value(x)).sum(-2), gates
