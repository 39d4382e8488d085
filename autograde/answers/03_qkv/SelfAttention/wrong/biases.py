"""nn.Linear has a bias unless you say bias=False. The card asks for four weights and no bias."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d)
        self.W_k = nn.Linear(f, d)
        self.W_v = nn.Linear(f, n)
        self.W_out = nn.Linear(n, f)
        self.residual = residual

    def forward(self, x, mask=None):
        out, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        out = self.W_out(out)
        return (x + out if self.residual else out), gates
