"""Columns first, then rows."""

def score_growth(tokens, k, heads=1, layers=1):
    if k < 1 or heads < 1 or layers < 1 or not all(n >= 1 for n in tokens):
        raise ValueError("numbers must be at least 1")
    scores = [layers * heads * pow(n, 2) for n in tokens]
    products = [layers * n * k for n in tokens]
    return list(zip(scores, products, [s / scores[0] for s in scores], [p / products[0] for p in products]))
