"""Weights in float64; returns a list."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_k = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_v = nn.Linear(f, n, bias=False, dtype=torch.float64)
        self.W_out = nn.Linear(n, f, bias=False, dtype=torch.float64)
        self.residual = bool(residual)

    def forward(self, x, mask=None):
        x = x.double()
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return [self.W_out(out) + (x if self.residual else torch.zeros_like(x)), gates]
