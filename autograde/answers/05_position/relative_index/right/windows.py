"""A window slides over the table of numbers, one for each query."""

def relative_index(rows, cols):
    numbers = torch.arange((2 * rows - 1) * (2 * cols - 1)).view(2 * rows - 1, 2 * cols - 1)
    found = []
    for q in range(rows * cols):
        r, c = divmod(q, cols)
        found.append(numbers[rows - 1 - r : 2 * rows - 1 - r, cols - 1 - c : 2 * cols - 1 - c].flatten())
    return torch.stack(found)
