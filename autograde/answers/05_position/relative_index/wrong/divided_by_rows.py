"""A row of the grid has cols cells: divide by cols."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // rows, token % rows
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return (down + rows - 1) * (2 * cols - 1) + right + cols - 1
