"""A loop over heads; the norm written with F.layer_norm."""

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
        place = torch.arange(ids.size(1))
        x = self.words(ids) + self.positions(place) + self.types(kinds)
        return self.norm(x)


class BertBlock(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.size = width // heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = (nn.LayerNorm(width, eps=1e-12) for _ in range(2))
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x, mask):
        q, k, v = (part.split(self.size, -1) for part in self.qkv(x).chunk(3, -1))
        mixed = [masked_attention(a, b, c, mask[:, 0])[0] for a, b, c in zip(q, k, v)]
        x = x + self.out(torch.cat(mixed, -1))
        x = F.layer_norm(x, x.shape[-1:], self.norm1.weight, self.norm1.bias, self.norm1.eps)
        return self.norm2(x + self.mlp(x))
