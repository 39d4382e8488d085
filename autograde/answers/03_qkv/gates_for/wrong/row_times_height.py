"""The token is counted with the height of the image. Before a row lie whole rows, and a row is as long as the image is wide."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * h + column].reshape(h, w)
