"""The scores are divided by √f. Here there is no scale: w may grow as it likes."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = (self.w(x).squeeze(-1) / x.shape[-1] ** 0.5).softmax(-1)
        return (gates[..., None] * self.V(x)).sum(-2), gates
