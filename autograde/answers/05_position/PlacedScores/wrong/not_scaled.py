"""The scores are not divided by √d."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.grid = rows, cols

    def forward(self, q: Tensor, k: Tensor):
        turned_q, turned_k = rope_2d(q, *self.grid), rope_2d(k, *self.grid)
        return turned_q @ turned_k.mT
