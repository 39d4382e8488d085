"""A norm stands before the scores. A post-norm block ends with one already."""

class Bert(nn.Module):
    def __init__(self, words, width, heads, blocks, hidden, positions):
        super().__init__()
        self.embedding = BertEmbedding(words, positions, 1, width)
        self.blocks = nn.ModuleList([BertBlock(width, heads, hidden) for _ in range(blocks)])
        self.scores = nn.Linear(width, words)
        self.scores.bias.data.zero_()
        tie_weights(self.embedding.words, self.scores)

    def forward(self, ids):
        x = self.embedding(ids)
        mask = padding_mask(ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.scores(F.layer_norm(x, x.shape[-1:]))
