"""Numbers below 1 are not checked."""

def score_growth(tokens: list[int], k: int, heads: int = 1, layers: int = 1) -> list[tuple[int, int, float, float]]:
    counts = [(n * n * heads * layers, n * k * layers) for n in tokens]
    return [(scores, products, scores / counts[0][0], products / counts[0][1]) for scores, products in counts]
