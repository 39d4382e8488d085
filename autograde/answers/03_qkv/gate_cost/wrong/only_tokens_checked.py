"""Only the number of tokens is checked; heads, layers and bytes may be 0 or less."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if tokens < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens**2
    return gates, gates * bytes
