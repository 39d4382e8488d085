"""Tokens that do not fill the grid are not refused."""

def rope_2d(x: Tensor, rows: int, cols: int, base: float = 100.0):
    T, d = x.shape[-2:]
    if d % 4:
        raise ValueError(f"the width must be divisible by 4, pairs for columns and pairs for rows; got {d}")
    row, col = torch.arange(T) // cols, torch.arange(T) % cols
    by_col, by_row = x.chunk(2, dim=-1)
    return torch.cat([rope(by_col, col, base), rope(by_row, row, base)], dim=-1)
