"""The weights are stored as (inputs, outputs). The card, like nn.Linear, stores one row for each output: (d, f)."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.residual = residual
        self.W_q = nn.Parameter(torch.randn(f, d))
        self.W_k = nn.Parameter(torch.randn(f, d))
        self.W_v = nn.Parameter(torch.randn(f, n))
        self.W_out = nn.Parameter(torch.randn(n, f))

    def forward(self, x, mask=None):
        out, gates = attention(x @ self.W_q, x @ self.W_k, x @ self.W_v, mask)
        out = out @ self.W_out
        return (x + out if self.residual else out), gates
