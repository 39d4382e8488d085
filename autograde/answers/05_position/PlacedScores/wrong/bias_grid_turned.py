"""rows and cols of the OffsetBias are exchanged."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.bias = OffsetBias(heads, cols, rows)

    def forward(self, q: Tensor, k: Tensor):
        return q @ k.mT / math.sqrt(q.shape[-1]) + self.bias()
