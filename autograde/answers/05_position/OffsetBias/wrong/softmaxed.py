"""The bias went through a softmax. It is added to the scores, before one."""

class OffsetBias(nn.Module):

    def __init__(self, heads: int, rows: int, cols: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, (2 * rows - 1) * (2 * cols - 1)))
        self.register_buffer("index", relative_index(rows, cols))

    def forward(self):
        return self.table[:, self.index].softmax(-1)
