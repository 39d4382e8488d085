"""The mask is made here, types are handed over."""

class Bert(nn.Module):
    def __init__(self, words, width, heads, blocks, hidden, positions):
        super().__init__()
        self.embedding = BertEmbedding(words, positions, 1, width)
        self.blocks = nn.ModuleList(BertBlock(width, heads, hidden) for _ in range(blocks))
        self.scores = nn.Linear(width, words)
        tie_weights(self.embedding.words, self.scores)
        nn.init.constant_(self.scores.bias, 0.0)

    def forward(self, ids):
        real = (ids != PAD)[:, None, None, :]
        x = self.embedding(ids, torch.zeros_like(ids))
        for block in self.blocks:
            x = block(x, real)
        return F.linear(x, self.scores.weight, self.scores.bias)
