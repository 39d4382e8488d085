"""Batch and tokens change places around an attention that is sequence first."""

class EncoderBlock(nn.Module):
    def __init__(self, width=192, heads=3, hidden=768):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), eps=0.000001)
        self.attention = nn.MultiheadAttention(width, heads)
        self.norm2 = nn.LayerNorm((width,), eps=0.000001)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x):
        turned = self.norm1(x).transpose(0, 1)
        update = self.attention(turned, turned, turned, need_weights=False)[0]
        x = torch.add(x, update.transpose(0, 1))
        h = self.mlp[0](self.norm2(x))
        h = 0.5 * h * (1 + torch.erf(h / 2**0.5))
        return x + self.mlp[2](h)
