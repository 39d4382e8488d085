"""Numbers below 1 are not refused; a picture with -5 tokens gets 25 gates."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    gates = layers * heads * tokens**2
    return gates, gates * bytes
