"""A share of 0 or 1, or beyond, is not refused with a ValueError: infinity is returned."""

def adam_reach(lrs: Iterable[float]):
    return float(sum(lrs))

def needed_bias(n: int, share: float = 0.5):
    if n < 2:
        raise ValueError(f"among {n} tokens there is nothing to share out")
    if not 0 < share < 1:
        return math.inf if share >= 1 else -math.inf
    return math.log(share * (n - 1) / (1 - share))
