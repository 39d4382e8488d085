"""0 is let through. The card refuses what is below 1."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 0:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens**2
    return gates, gates * bytes
