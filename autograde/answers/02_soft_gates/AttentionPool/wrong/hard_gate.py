"""Only the token with the largest score passes: a hard gate."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        s = self.w(x).squeeze(-1)
        gates = F.one_hot(s.argmax(-1), s.shape[-1]).to(x.dtype)
        return (gates[..., None] * self.V(x)).sum(-2), gates
