"""Height and width are exchanged where the shape of the image is read: in (f, h, w) the height comes first."""

def gates_for(query, layer, image):
    row, column = query
    f, w, h = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
