"""Nothing is split: one head of the full width stands in a dimension of size 1. Give each head its piece."""

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, bias=True):
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"{heads} heads do not divide {d_model}")
        self.heads = heads
        self.width = d_model // heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, source=None, mask=None):
        if source is None:
            source = x
        q = self.W_q(x)[:, None]
        k = self.W_k(source)[:, None]
        v = self.W_v(source)[:, None]
        s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            s = s.masked_fill(~mask, float("-inf"))
        gates = s.softmax(-1)
        return self.W_o(merge_heads(gates @ v)), gates
