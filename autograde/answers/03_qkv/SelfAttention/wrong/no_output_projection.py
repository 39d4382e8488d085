"""W_out is missing. The attention output has n features, x has f; W_out brings them together, and it learns what to add."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, f, bias=False)
        self.residual = residual

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return (x + out if self.residual else out), gates
