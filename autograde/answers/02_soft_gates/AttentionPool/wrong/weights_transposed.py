"""The weights are stored as (inputs, outputs). nn.Linear stores them as (outputs, inputs), and the card does, too."""

class AttentionPool(nn.Module):
    def __init__(self, f, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(f, 1))
        self.V = nn.Parameter(torch.randn(f, n))

    def forward(self, x):
        gates = (x @ self.w).squeeze(-1).softmax(-1)
        return (gates[..., None] * (x @ self.V)).sum(-2), gates
