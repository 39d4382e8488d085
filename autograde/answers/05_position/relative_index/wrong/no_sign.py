"""abs takes the sign away: left and right become one offset."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return down.abs() * (2 * cols - 1) + right.abs()
