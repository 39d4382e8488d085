"""Without further arguments it counts with 8 bytes for a gate; the default is 4, a float32."""

def gate_cost(tokens, heads=1, layers=1, bytes=8):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens**2
    return gates, gates * bytes
