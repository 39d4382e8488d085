"""The two shifts are exchanged: Δrow needs rows - 1, Δcol needs cols - 1."""

def relative_index(rows: int, cols: int):
    token = torch.arange(rows * cols)
    row, col = token // cols, token % cols
    down = row[None, :] - row[:, None]
    right = col[None, :] - col[:, None]
    return (down + cols - 1) * (2 * cols - 1) + right + rows - 1
