"""The scores are multiplied by the mask. A blocked score of 0 still has a gate; it must become -inf."""

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
        q = split_heads(self.W_q(x), self.heads)
        k = split_heads(self.W_k(source), self.heads)
        v = split_heads(self.W_v(source), self.heads)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.width)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            s = s * mask
        gates = s.softmax(-1)
        return self.W_o(merge_heads(gates @ v)), gates
