"""A row of offsets has 2 cols - 1 numbers, not cols: offsets run to both sides."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return (down + rows - 1) * cols + right + cols - 1
