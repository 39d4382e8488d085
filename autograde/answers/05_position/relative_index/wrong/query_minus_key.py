"""The offset is query minus key. It is key minus query: "two to the right of me" is +2."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[:, None] - row[None, :]
    right = col[:, None] - col[None, :]
    return (down + rows - 1) * (2 * cols - 1) + right + cols - 1
