"""gather along the offsets."""

class OffsetBias(nn.Module):
    def __init__(self, heads, rows, cols):
        super().__init__()
        self.rows, self.cols = rows, cols
        self.weight = nn.Parameter(torch.zeros(heads, (2 * rows - 1) * (2 * cols - 1)))

    def forward(self):
        index = relative_index(self.rows, self.cols)
        picked = self.weight.gather(1, index.flatten().expand(len(self.weight), -1))
        return picked.unflatten(1, index.shape)
