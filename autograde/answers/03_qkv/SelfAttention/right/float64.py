"""Weights in float64, the result brought back to the type of x; returns a list."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_k = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_v = nn.Linear(f, n, bias=False, dtype=torch.float64)
        self.W_out = nn.Linear(n, f, bias=False, dtype=torch.float64)
        self.residual = bool(residual)

    def forward(self, x, mask=None):
        wide = x.double()
        out, gates = attention(self.W_q(wide), self.W_k(wide), self.W_v(wide), mask)
        out = self.W_out(out) + (wide if self.residual else torch.zeros_like(wide))
        return [out.to(x.dtype), gates.to(x.dtype)]
