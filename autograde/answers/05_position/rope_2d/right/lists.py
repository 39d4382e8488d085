"""Positions as lists, made by divmod."""

def rope_2d(x, rows, cols, base=100.0):
    T, d = x.shape[-2], x.shape[-1]
    if d % 4 > 0:
        raise ValueError("the width must be a multiple of 4")
    if not T == rows * cols:
        raise ValueError("T must be rows * cols")
    places = [divmod(t, cols) for t in range(T)]
    first, second = torch.split(x, d // 2, dim=-1)
    first = rope(first, torch.tensor([col for _, col in places]), base)
    second = rope(second, torch.tensor([row for row, _ in places]), base)
    return torch.cat([first, second], dim=-1)
