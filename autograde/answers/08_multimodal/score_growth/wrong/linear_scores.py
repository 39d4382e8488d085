"""N in place of N · N scores."""

def score_growth(tokens: list[int], k: int, heads: int = 1, layers: int = 1) -> list[tuple[int, int, float, float]]:
    if min([*tokens, k, heads, layers]) < 1:
        raise ValueError("all numbers must be 1 or more")
    counts = [(n * heads * layers, n * k * layers) for n in tokens]
    return [(scores, products, scores / counts[0][0], products / counts[0][1]) for scores, products in counts]
