"""Growth from the numbers of tokens alone."""

def score_growth(tokens, k, heads=1, layers=1):
    rows = []
    if any(n < 1 for n in list(tokens) + [k, heads, layers]):
        raise ValueError("below 1")
    for n in tokens:
        times = n / tokens[0]
        rows.append((heads * layers * n**2, layers * k * n, times * times, times))
    return rows
