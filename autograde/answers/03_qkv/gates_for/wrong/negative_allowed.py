"""Negative rows and columns are let through; Python counts them from the end."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (row < h and column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
