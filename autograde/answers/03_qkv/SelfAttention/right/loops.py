"""A loop over the tokens that ask."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        T = x.shape[-2]
        results, rows = [], []
        for i in range(T):
            allowed = None if mask is None else mask[..., i : i + 1, :]
            out, row = attention(q[..., i : i + 1, :], k, v, allowed)
            results.append(self.W_out(out) + (x[..., i : i + 1, :] if self.residual else 0))
            rows.append(row)
        return torch.cat(results, dim=-2), torch.cat(rows, dim=-2)
