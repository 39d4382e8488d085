"""The table is a Parameter that asks for no gradient."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, (2 * rows - 1) * (2 * cols - 1)), requires_grad=False)
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table[:, self.index]
