"""The gates are soft, but only the value of the largest gate is handed over."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.w(x).squeeze(-1).softmax(-1)
        v = self.V(x)
        best = gates.argmax(-1)[..., None, None].expand(*v.shape[:-2], 1, v.shape[-1])
        return v.gather(-2, best).squeeze(-2), gates
