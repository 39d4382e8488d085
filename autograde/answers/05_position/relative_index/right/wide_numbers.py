"""Each cell has a number in a wider grid; differences of these are offsets."""

def relative_index(rows, cols):
    t = torch.arange(rows * cols)
    wide = t.div(cols, rounding_mode="floor") * (2 * cols - 1) + t.remainder(cols)
    return wide - wide.unsqueeze(1) + (rows - 1) * (2 * cols - 1) + cols - 1
