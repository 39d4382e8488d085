"""The memory is given in bits."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens**2
    return gates, gates * bytes * 8
