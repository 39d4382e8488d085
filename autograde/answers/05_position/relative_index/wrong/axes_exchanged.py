"""Offsets were counted column by column. Count them row by row: Δrow times 2 cols - 1."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return (right + cols - 1) * (2 * rows - 1) + down + rows - 1
