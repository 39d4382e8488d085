"""One learned number for each pair of tokens. Equal offsets share one in an OffsetBias."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.pairs = nn.Parameter(torch.zeros(heads, rows * cols, rows * cols))

    def forward(self, q: Tensor, k: Tensor):
        return q @ k.mT / math.sqrt(q.shape[-1]) + self.pairs
