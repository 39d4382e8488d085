"""Rows and columns from meshgrid, halves by slices."""

def rope_2d(x, rows, cols, base=100.0):
    d = x.shape[-1]
    if d % 4 != 0:
        raise ValueError(f"4 does not divide {d}")
    if x.shape[-2] != rows * cols:
        raise ValueError("the tokens do not fill the grid")
    r, c = torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")
    out = torch.empty_like(x)
    out[..., : d // 2] = rope(x[..., : d // 2], c.flatten(), base)
    out[..., d // 2 :] = rope(x[..., d // 2 :], r.flatten(), base)
    return out
