"""nn.Parameter and einsum, with a softmax of its own instead of `attention`."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.residual = residual
        self.d = d
        for name, shape in [("W_q", (d, f)), ("W_k", (d, f)), ("W_v", (n, f)), ("W_out", (f, n))]:
            setattr(self, name, nn.Parameter(torch.randn(shape) / math.sqrt(shape[1])))

    def forward(self, x, mask=None):
        q = torch.einsum("...tf,df->...td", x, self.W_q)
        k = torch.einsum("...tf,df->...td", x, self.W_k)
        s = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        g = s.softmax(-1)
        y = torch.einsum("...ij,...jf,nf,gn->...ig", g, x, self.W_v, self.W_out)
        return x * self.residual + y, g
