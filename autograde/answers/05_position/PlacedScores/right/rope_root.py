"""Both sides divided by the fourth root of d before turning."""

class PlacedScores(nn.Module):
    def __init__(self, heads, d, rows, cols):
        super().__init__()
        self.d, self.rows, self.cols = d, rows, cols

    def forward(self, q, k):
        q, k = (rope_2d(t / self.d**0.25, self.rows, self.cols, base=100.0) for t in (q, k))
        return q.matmul(k.transpose(-1, -2))
