"""The scores are negated: the token with the lowest score gets the largest gate."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = (-self.w(x)).squeeze(-1).softmax(-1)
        return (gates[..., None] * self.V(x)).sum(-2), gates
