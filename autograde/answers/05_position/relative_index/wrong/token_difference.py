"""The difference of the token numbers: the end of one row and the beginning of the next are no neighbours."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return token[None, :] - token[:, None] + rows * cols - 1
