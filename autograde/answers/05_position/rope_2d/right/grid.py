"""The tokens as a grid: along columns, then along rows."""

def rope_2d(x, rows, cols, base=100.0):
    *lead, T, d = x.shape
    if d % 4 or T != rows * cols:
        raise ValueError(f"width {d} or number of tokens {T} does not fit a grid of {rows} x {cols}")
    grid = x.reshape(*lead, rows, cols, d)
    by_col = rope(grid[..., : d // 2], torch.arange(cols), base)
    by_row = rope(grid[..., d // 2 :].transpose(-2, -3), torch.arange(rows), base).transpose(-2, -3)
    return torch.cat((by_col, by_row), -1).reshape(*lead, T, d)
