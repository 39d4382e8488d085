"""Bare parameters, registered by name; one product makes queries, keys and values; the residual is a factor."""

class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.keep = float(residual)
        for name, shape in {"W_out": (f, n), "W_v": (n, f), "W_k": (d, f), "W_q": (d, f)}.items():
            self.register_parameter(name, nn.Parameter(torch.empty(shape)))
            nn.init.normal_(self.get_parameter(name), std=shape[1] ** -0.5)

    def forward(self, x, mask=None):
        three = [self.W_q, self.W_k, self.W_v]
        q, k, v = (x @ torch.cat(three).T).split([len(w) for w in three], dim=-1)
        mixed, gates = attention(mask=mask, v=v, q=q, k=k)
        return self.keep * x + torch.einsum("...tn,fn->...tf", mixed, self.W_out), gates
