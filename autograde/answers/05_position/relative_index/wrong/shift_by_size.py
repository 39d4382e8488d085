"""Shifted by rows and cols, so that the numbers begin above 0. rows - 1 and cols - 1 are right."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return (down + rows) * (2 * cols - 1) + right + cols
