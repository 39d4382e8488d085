"""Divided by the one before, not by the first."""

def score_growth(tokens: list[int], k: int, heads: int = 1, layers: int = 1) -> list[tuple[int, int, float, float]]:
    if min([*tokens, k, heads, layers]) < 1:
        raise ValueError("all numbers must be 1 or more")
    counts = [(n * n * heads * layers, n * k * layers) for n in tokens]
    return [(scores, products, scores / counts[max(i - 1, 0)][0], products / counts[max(i - 1, 0)][1]) for i, (scores, products) in enumerate(counts)]
