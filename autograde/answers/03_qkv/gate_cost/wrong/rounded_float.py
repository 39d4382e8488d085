"""The numbers go through a float and are made whole again. Beyond 15 digits they are then a little wrong."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = int(layers * heads * math.pow(tokens, 2))
    return gates, gates * bytes
