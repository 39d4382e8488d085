"""The offsets still begin below 0, and negative numbers index from the end."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return down * (2 * cols - 1) + right
