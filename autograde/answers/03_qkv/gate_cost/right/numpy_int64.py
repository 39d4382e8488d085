"""Whole numbers of 64 bits from numpy, made Python's own at the end."""

def gate_cost(tokens, heads=1, layers=1, bytes=4):
    import numpy as np

    shape = np.array([layers, heads, tokens, tokens], dtype=object)
    if not (shape >= 1).all() or not bytes >= 1:
        raise ValueError(f"bad numbers: {shape}, {bytes}")
    gates = int(shape.prod())
    return gates, int(gates) * int(bytes)
