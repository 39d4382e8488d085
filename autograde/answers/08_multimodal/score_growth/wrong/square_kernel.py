"""k is squared. k already counts the neighbours."""

def score_growth(tokens: list[int], k: int, heads: int = 1, layers: int = 1) -> list[tuple[int, int, float, float]]:
    if min([*tokens, k, heads, layers]) < 1:
        raise ValueError("all numbers must be 1 or more")
    counts = [(n * n * heads * layers, n * k * k * layers) for n in tokens]
    return [(scores, products, scores / counts[0][0], products / counts[0][1]) for scores, products in counts]
