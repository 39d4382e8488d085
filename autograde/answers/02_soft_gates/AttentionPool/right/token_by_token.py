"""A loop over the tokens."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.w(x).squeeze(-1).softmax(-1)
        out = 0
        for t in range(x.shape[-2]):
            out = out + gates[..., t, None] * self.V(x[..., t, :])
        return out, gates
