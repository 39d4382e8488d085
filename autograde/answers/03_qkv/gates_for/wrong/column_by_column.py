"""Positions are counted down the columns, but the tokens were made along the rows."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[column * h + row].reshape(h, w)
