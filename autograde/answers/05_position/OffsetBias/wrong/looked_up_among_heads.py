"""table[index] looks among the heads, the first dimension. The offsets are the second: table[:, index]."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, (2 * rows - 1) * (2 * cols - 1)))
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table[self.index]
