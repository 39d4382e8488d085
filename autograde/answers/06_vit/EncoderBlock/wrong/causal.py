"""A mask hides the later rows. Patches have no future: each row attends to all."""

class EncoderBlock(nn.Module):
    def __init__(self, width=192, heads=3, hidden=768):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x):
        y = self.norm1(x)
        y, _ = self.attention(y, y, y, attn_mask=torch.ones(x.shape[1], x.shape[1]).triu(1).bool())
        x = x + y
        y = self.norm2(x)
        return x + self.mlp(y)
