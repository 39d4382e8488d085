"""nn.Module must be initialised before the first weight is assigned: `super().__init__()` comes first."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (x + out if self.residual else out), gates
