"""One table for all heads. Each head has its own."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(1, (2 * rows - 1) * (2 * cols - 1)))
        self.heads = heads
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table[:, self.index].expand(self.heads, -1, -1)
