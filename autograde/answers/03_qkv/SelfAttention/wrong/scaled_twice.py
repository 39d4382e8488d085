"""`attention` divides by √d already; the queries are divided once more here."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual
        self.d = d

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x) / math.sqrt(self.d), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (x + out if self.residual else out), gates
