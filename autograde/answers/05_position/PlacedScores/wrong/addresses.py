"""Addresses are added to queries and keys: places count, not offsets."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.place = nn.Parameter(torch.zeros(rows * cols, d))

    def forward(self, q: Tensor, k: Tensor):
        return (q + self.place) @ (k + self.place).mT / math.sqrt(q.shape[-1])
