"""One gate for each token is counted, as in a pool. In attention each pair of tokens has one."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * tokens
    return gates, gates * bytes
