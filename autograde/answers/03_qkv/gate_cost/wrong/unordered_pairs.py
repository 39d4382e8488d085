"""Each pair is counted once. That i asks j is another gate than that j asks i."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError("all four must be at least 1")
    gates = layers * heads * (tokens * (tokens + 1) // 2)
    return gates, gates * bytes
