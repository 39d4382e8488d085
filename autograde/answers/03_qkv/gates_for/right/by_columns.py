"""Counts positions column by column, in both directions."""

def gates_for(query, layer, image):
    f, h, w = image.shape
    row, column = query
    if row < 0 or row >= h:
        raise ValueError(f"row {row}")
    if column < 0 or column >= w:
        raise ValueError(f"column {column}")
    tokens = image.transpose(1, 2).reshape(f, -1).T
    return layer(tokens)[1][column * h + row].reshape(w, h).T
