"""The gated values are averaged. The gates already sum to 1, so it is their sum."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.w(x).squeeze(-1).softmax(-1)
        return (gates[..., None] * self.V(x)).mean(-2), gates
