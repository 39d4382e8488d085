"""x is added before W_out, so it goes through W_out as well (and fits only when n = f). The residual bypasses everything."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        if self.residual and out.shape == x.shape:
            return self.W_out(out + x), gates
        return (x if self.residual else 0) + self.W_out(out), gates
