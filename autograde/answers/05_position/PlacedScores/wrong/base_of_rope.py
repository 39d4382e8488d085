"""Turned with base 10,000, for thousands of positions. On six columns slow pairs hardly turn: use rope_2d's own base."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.grid = rows, cols

    def forward(self, q: Tensor, k: Tensor):
        turned_q, turned_k = rope_2d(q, *self.grid, 10_000.0), rope_2d(k, *self.grid, 10_000.0)
        return turned_q @ turned_k.mT / math.sqrt(q.shape[-1])
