"""Adds layer after layer, head after head, as a list."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    if any(number <= 0 for number in (tokens, heads, layers, bytes)):
        raise ValueError("none of them may be 0 or negative")
    gates = sum(tokens * tokens for _ in range(layers) for _ in range(heads))
    return [gates, bytes * gates]
