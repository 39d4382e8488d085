"""Bad numbers meet an `assert`, which raises AssertionError. The card asks for a ValueError."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    assert min(tokens, heads, layers, bytes) >= 1
    gates = layers * heads * tokens**2
    return gates, gates * bytes
