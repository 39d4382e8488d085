"""Counted in a loop over layers and heads."""

def score_growth(tokens, k, heads=1, layers=1):
    for number in (k, heads, layers, *tokens):
        if number <= 0:
            raise ValueError(f"{number} is below 1")
    first, out = None, []
    for n in tokens:
        scores = sum(n * n for _ in range(layers) for _ in range(heads))
        products = sum(n * k for _ in range(layers))
        first = first or (scores, products)
        out.append((scores, products, scores / first[0], products / first[1]))
    return out
