"""Plain tensors are not found by an optimiser: `layer.parameters()` is empty. Use nn.Linear, or wrap them in nn.Parameter."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.residual = residual
        self.W_q = torch.randn(d, f, requires_grad=True)
        self.W_k = torch.randn(d, f, requires_grad=True)
        self.W_v = torch.randn(n, f, requires_grad=True)
        self.W_out = torch.randn(f, n, requires_grad=True)

    def forward(self, x, mask=None):
        out, gates = attention(x @ self.W_q.mT, x @ self.W_k.mT, x @ self.W_v.mT, mask)
        out = out @ self.W_out.mT
        return (x + out if self.residual else out), gates
