"""One head after the other, on slices; no split_heads."""

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, bias=True):
        if heads <= 0 or d_model % heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by heads={heads}")
        super().__init__()
        self.heads, self.width = heads, d_model // heads
        for name in ("W_o", "W_v", "W_k", "W_q"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, x, source=None, mask=None):
        source = x if source is None else source
        q, k, v = self.W_q(x), self.W_k(source), self.W_v(source)
        messages, rows = [], []
        for h in range(self.heads):
            piece = slice(h * self.width, (h + 1) * self.width)
            s = q[..., piece] @ k[..., piece].mT / self.width**0.5
            if mask is not None:
                s = torch.where(mask, s, -torch.inf)
            g = torch.softmax(s, dim=-1)
            rows.append(g)
            messages.append(g @ v[..., piece])
        return self.W_o(torch.cat(messages, dim=-1)), torch.stack(rows, dim=1)
