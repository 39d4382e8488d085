"""A column of the gates is taken: how much all others look at this position. Rows are queries, so take a row."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[:, row * w + column].reshape(h, w)
