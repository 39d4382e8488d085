"""The types are not added."""

class BertEmbedding(nn.Module):
    def __init__(self, words, positions, types, width):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(positions, width)
        self.types = nn.Embedding(types, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.positions.weight, std=0.02)
        nn.init.normal_(self.types.weight, std=0.02)

    def forward(self, ids, kinds=None):
        if kinds is None:
            kinds = torch.zeros_like(ids)
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1])) + 0 * self.types(kinds)
        return self.norm(x)


class BertBlock(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def split(self, x):
        B, T, D = x.shape
        return x.view(B, T, self.heads, D // self.heads).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        y, _ = masked_attention(self.split(q), self.split(k), self.split(v), mask)
        y = self.out(y.transpose(1, 2).reshape(x.shape))
        x = self.norm1(x + y)
        return self.norm2(x + self.mlp(x))
