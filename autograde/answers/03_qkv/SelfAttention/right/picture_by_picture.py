"""A linear layer of its own class, and one picture after the other, each with its own mask."""

class Projection(nn.Linear):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs, bias=False)


class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_out = Projection(f, d), Projection(f, d), Projection(f, n), Projection(n, f)
        self.residual = residual

    def forward(self, x, mask=None):
        T = x.shape[-2]
        pictures = x.reshape(-1, *x.shape[-2:])
        masks = [None] * len(pictures) if mask is None else mask.expand(*x.shape[:-1], T).reshape(-1, T, T)
        outs, rows = [], []
        for picture, allowed in zip(pictures, masks):
            mixed, gates = attention(self.W_q(picture), self.W_k(picture), self.W_v(picture), allowed)
            outs.append(self.W_out(mixed) + (picture if self.residual else 0))
            rows.append(gates)
        return torch.stack(outs).reshape(x.shape), torch.stack(rows).reshape(*x.shape[:-1], T)
