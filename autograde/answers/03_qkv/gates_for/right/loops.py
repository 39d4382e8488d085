"""Loops over positions, tokens collected in a list."""

def gates_for(query, layer, image):
    height, width = image.shape[-2:]
    places = [(r, c) for r in range(height) for c in range(width)]
    if tuple(query) not in places:
        raise ValueError("the query must be a position of the image")
    tokens = torch.stack([image[:, r, c] for r, c in places])
    looks = layer(tokens)[1][places.index(tuple(query))]
    picture = torch.empty(height, width, dtype=looks.dtype)
    for gate, (r, c) in zip(looks.detach(), places):
        picture[r, c] = gate
    return picture
