"""Bare parameters that start as wide as standard normal numbers."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Parameter(torch.randn(d, f))
        self.W_k = nn.Parameter(torch.randn(d, f))
        self.W_v = nn.Parameter(torch.randn(n, f))
        self.W_out = nn.Parameter(torch.randn(f, n))
        self.residual = residual

    def forward(self, x, mask=None):
        mixed, gates = attention(F.linear(x, self.W_q), F.linear(x, self.W_k), F.linear(x, self.W_v), mask)
        y = F.linear(mixed, self.W_out)
        return (y + x, gates) if self.residual else (y, gates)
