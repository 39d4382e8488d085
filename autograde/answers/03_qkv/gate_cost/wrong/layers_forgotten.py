"""The layers are not counted: each layer has gates of its own."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = heads * tokens**2
    return gates, gates * bytes
