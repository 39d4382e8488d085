"""Heads and pictures in one batch dimension; W_o piece by piece, as a sum over heads."""

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, bias=True):
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"{d_model} cannot be shared by {heads} heads")
        self.heads = heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, source=None, mask=None):
        source = x if source is None else source
        q, k, v = (split_heads(y, self.heads).flatten(0, 1) for y in (self.W_q(x), self.W_k(source), self.W_v(source)))
        s = torch.bmm(q, k.mT) / math.sqrt(q.size(-1))
        if mask is not None:
            every = mask.expand(len(x), *s.shape[1:]).repeat_interleave(self.heads, dim=0)
            s = s.masked_fill(every.logical_not(), torch.finfo(s.dtype).min)
        g = s.softmax(-1)
        heard = torch.bmm(g, v).unflatten(0, (-1, self.heads))
        columns = self.W_o.weight.split(v.size(-1), dim=1)
        out = sum(heard[:, h] @ columns[h].T for h in range(self.heads))
        out = out if self.W_o.bias is None else out + self.W_o.bias
        return out, g.unflatten(0, (-1, self.heads))
