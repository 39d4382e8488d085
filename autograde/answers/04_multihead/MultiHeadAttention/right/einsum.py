"""einsum, an additive mask, weights drawn by hand."""

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, bias=True):
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError("heads must divide d_model")
        self.h = heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias) for _ in range(4))
        for part in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.xavier_uniform_(part.weight)

    def forward(self, x, source=None, mask=None):
        src = source if source is not None else x
        B, Tq, D = x.shape
        q = self.W_q(x).reshape(B, Tq, self.h, -1)
        k = self.W_k(src).reshape(B, src.shape[1], self.h, -1)
        v = self.W_v(src).reshape(B, src.shape[1], self.h, -1)
        s = torch.einsum("bihw,bjhw->bhij", q, k) * (D // self.h) ** -0.5
        if mask is not None:
            s = s + torch.zeros(mask.shape, dtype=s.dtype).masked_fill(~mask, -torch.inf).unsqueeze(-3)
        g = F.softmax(s, dim=-1)
        return self.W_o(torch.einsum("bhij,bjhw->bihw", g, v).reshape(B, Tq, D)), g
