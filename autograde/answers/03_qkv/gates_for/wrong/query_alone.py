"""Only the token that asks goes through the layer. Alone it can look at nobody but itself."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens[row * w + column : row * w + column + 1])
    return gates[0, 0].expand(h, w)
