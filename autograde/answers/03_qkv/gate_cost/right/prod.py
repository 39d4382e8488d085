"""math.prod over a list, a check in a loop."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    for name, value in {"tokens": tokens, "heads": heads, "layers": layers, "bytes": bytes}.items():
        if value < 1:
            raise ValueError(f"{name} is {value}, it must be at least 1")
    gates = math.prod([tokens, tokens, heads, layers])
    return gates, math.prod([gates, bytes])
