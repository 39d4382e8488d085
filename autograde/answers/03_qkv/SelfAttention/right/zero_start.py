"""W_out starts at zero, values are projected after mixing, the residual is a module."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k = (nn.Linear(f, d, bias=False) for _ in range(2))
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        nn.init.zeros_(self.W_out.weight)
        self.skip = nn.Identity() if residual else None

    def forward(self, x, mask=None):
        mixed, gates = attention(self.W_q(x), self.W_k(x), x, mask)
        out = self.W_out(self.W_v(mixed))
        return (out if self.skip is None else self.skip(x) + out), gates
