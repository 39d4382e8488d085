"""The query is not checked. Python then takes a position from another row or from the end, without a word."""

def gates_for(query, layer, image):
    row, column = query
    f, h, w = image.shape
    tokens = image.flatten(1).mT
    out, gates = layer(tokens)
    return gates[row * w + column].reshape(h, w)
