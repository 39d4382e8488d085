"""The blocks by number, the scores by the table itself."""

class Bert(nn.Module):
    def __init__(self, words, width, heads, blocks, hidden, positions):
        super().__init__()
        self.embedding = BertEmbedding(words=words, positions=positions, types=1, width=width)
        self.blocks = nn.ModuleList()
        while len(self.blocks) < blocks:
            self.blocks.append(BertBlock(width, heads, hidden))
        self.scores = nn.Linear(width, words)
        with torch.no_grad():
            self.scores.bias.fill_(0)
        self.scores.weight = self.embedding.words.weight

    def forward(self, ids):
        rows, keys = self.embedding(ids), padding_mask(ids)
        for i in range(len(self.blocks)):
            rows = self.blocks[i](rows, keys)
        return rows @ self.embedding.words.weight.T + self.scores.bias
