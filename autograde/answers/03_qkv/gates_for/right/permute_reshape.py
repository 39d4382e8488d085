"""permute, four dimensions of gates, no number of a token at all."""

def gates_for(query, layer, image):
    y, x = query
    _, h, w = image.size()
    if y not in range(h) or x not in range(w):
        raise ValueError("no such position")
    _, gates = layer(image.permute(1, 2, 0).reshape(h * w, -1))
    return gates.view(h, w, h, w)[y, x]
