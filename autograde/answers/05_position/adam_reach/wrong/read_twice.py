"""A generator can be read once. The second loop over it finds nothing."""

def adam_reach(lrs: Iterable[float]):
    steps = sum(1 for _ in lrs)
    return float(sum(lrs)) if steps else 0.0

def needed_bias(n: int, share: float = 0.5):
    if n < 2:
        raise ValueError(f"among {n} tokens there is nothing to share out")
    if not 0 < share < 1:
        raise ValueError(f"a gate lies between 0 and 1, and neither can be reached; got {share}")
    return math.log(share * (n - 1) / (1 - share))
