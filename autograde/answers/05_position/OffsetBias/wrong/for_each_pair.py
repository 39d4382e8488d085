"""One number for each pair of tokens. Pairs with the same offset share one."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, rows * cols, rows * cols))
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table
