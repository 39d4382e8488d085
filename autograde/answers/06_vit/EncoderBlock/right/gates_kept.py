"""The gates are computed and kept; the MLP is a class of its own."""

class Mlp(nn.Sequential):
    def __init__(self, width, hidden):
        super().__init__(nn.Linear(width, hidden), nn.GELU("none"), nn.Linear(hidden, width))


class EncoderBlock(nn.Module):
    def __init__(self, width=192, heads=3, hidden=768):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(embed_dim=width, num_heads=heads, dropout=0.0, batch_first=True)
        self.mlp = Mlp(width, hidden)
        self.gates = None

    def forward(self, x):
        normed = self.norm1(x)
        update, gates = self.attention(normed, normed, normed, average_attn_weights=False)
        self.gates = gates.detach()
        y = x + update
        return y + self.mlp(self.norm2(y))
