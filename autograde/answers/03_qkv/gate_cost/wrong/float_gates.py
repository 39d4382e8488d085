"""The square is taken with a float, which loses the last digits of a large number."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens**2.0
    return gates, gates * bytes
