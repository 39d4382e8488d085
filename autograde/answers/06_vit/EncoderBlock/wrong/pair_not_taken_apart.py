"""nn.MultiheadAttention returns two things, rows and gates. Only the first is added: [0]."""

class EncoderBlock(nn.Module):
    def __init__(self, width=192, heads=3, hidden=768):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x):
        y = self.norm1(x)
        y = self.attention(y, y, y)
        x = x + y
        y = self.norm2(x)
        return x + self.mlp(y)
