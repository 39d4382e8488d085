"""Only the queries are turned, so places count and not offsets. Turn queries and keys."""

class PlacedScores(nn.Module):

    def __init__(self, heads: int, d: int, rows: int, cols: int):
        super().__init__()
        self.grid = rows, cols

    def forward(self, q: Tensor, k: Tensor):
        turned_q, turned_k = rope_2d(q, *self.grid), k
        return turned_q @ turned_k.mT / math.sqrt(q.shape[-1])
