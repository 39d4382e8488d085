"""The gate that a token has for itself is left out. A token may look at itself, too."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * (tokens * (tokens - 1))
    return gates, gates * bytes
