"""One permute cuts queries, keys, values and heads."""

class BertEmbedding(nn.Module):
    def __init__(self, words, positions, types, width):
        super().__init__()
        for name, rows in {"words": words, "positions": positions, "types": types}.items():
            table = nn.Embedding(rows, width)
            with torch.no_grad():
                table.weight.mul_(0.02)
            setattr(self, name, table)
        self.norm = nn.LayerNorm((width,), eps=1e-12)

    def forward(self, ids, kinds=None):
        T = ids.shape[-1]
        types = self.types.weight[0] if kinds is None else self.types(kinds)
        return self.norm(self.words.weight[ids] + self.positions.weight[None, :T] + types)


class BertBlock(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.width, self.heads = width, heads
        self.qkv = nn.Linear(width, width * 3)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, 1e-12)
        self.norm2 = nn.LayerNorm(width, 1e-12)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x, mask):
        B, T, D = x.shape
        qkv = self.qkv(x).reshape(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        mixed = masked_attention(qkv[0], qkv[1], qkv[2], mask)[0]
        attended = self.out(mixed.permute(0, 2, 1, 3).reshape(B, T, D))
        rows = self.norm1(attended + x)
        return self.norm2(self.mlp(rows) + rows)
