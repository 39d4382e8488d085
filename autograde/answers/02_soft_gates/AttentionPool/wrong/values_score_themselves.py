"""The output is a SoftPool of the values: they score themselves. The gates of w must weight them."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = self.w(x).softmax(-2)
        v = self.V(x)
        return (v.softmax(-2) * v).sum(-2), gates[..., 0]
