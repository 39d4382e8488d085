"""The tokens are centred in place, which changes what the caller gave."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        x -= x.mean(-2, keepdim=True)
        gates = self.w(x).squeeze(-1).softmax(-1)
        return (gates[..., None] * self.V(x)).sum(-2), gates
