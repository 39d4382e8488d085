"""Queries and keys share one weight, so a token always asks for what it has itself."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = self.W_q
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (x + out if self.residual else out), gates
