"""Heads and layers are squared along with the tokens. Only the tokens meet each other in pairs."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = (layers * heads * tokens) ** 2
    return gates, gates * bytes
