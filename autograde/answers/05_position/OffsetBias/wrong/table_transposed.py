"""The table has the shape (offsets, heads). The card says (heads, offsets)."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros((2 * rows - 1) * (2 * cols - 1), heads))
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table[self.index].permute(2, 0, 1)
