"""Row and column of the query are exchanged, as in (x, y). Here the row comes first."""

def gates_for(query, layer, image):
    column, row = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
