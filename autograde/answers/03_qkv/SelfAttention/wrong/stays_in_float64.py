"""The layer turns x into float64 and never back, so that a float32 layer after it cannot take what it returns."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_k = nn.Linear(f, d, bias=False, dtype=torch.float64)
        self.W_v = nn.Linear(f, n, bias=False, dtype=torch.float64)
        self.W_out = nn.Linear(n, f, bias=False, dtype=torch.float64)
        self.residual = residual

    def forward(self, x, mask=None):
        x = x.double()
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (x + out if self.residual else out), gates
