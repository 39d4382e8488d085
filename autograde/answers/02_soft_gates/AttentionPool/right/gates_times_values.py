"""A row of gates times the matrix of values."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, f) / math.sqrt(f))
        self.V = nn.Linear(f, n, bias=False)

    def forward(self, x):
        gates = (self.w @ x.mT).softmax(-1)
        return (gates @ self.V(x)).squeeze(-2), gates.squeeze(-2)
