"""The table has the shape (heads, 2 rows - 1, 2 cols - 1). The card says (heads, offsets), flat."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, 2 * rows - 1, 2 * cols - 1))
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table.flatten(1)[:, self.index]
