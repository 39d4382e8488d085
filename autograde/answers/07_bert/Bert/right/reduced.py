"""The blocks are folded over the tokens."""

class Bert(nn.Module):
    def __init__(self, words, width, heads, blocks, hidden, positions):
        super().__init__()
        self.embedding = BertEmbedding(words, positions, 1, width)
        self.scores = nn.Linear(width, words)
        self.scores.bias = nn.Parameter(torch.zeros(words))
        tie_weights(self.embedding.words, self.scores)
        self.blocks = nn.ModuleList(BertBlock(width, heads, hidden) for _ in range(blocks))

    def forward(self, ids):
        from functools import reduce

        mask = padding_mask(ids)
        return self.scores(reduce(lambda x, block: block(x, mask), self.blocks, self.embedding(ids)))
