"""The default share is .9. The card says half."""

def adam_reach(lrs: Iterable[float]):
    return float(sum(lrs))

def needed_bias(n: int, share: float = 0.9):
    if n < 2:
        raise ValueError(f"among {n} tokens there is nothing to share out")
    if not 0 < share < 1:
        raise ValueError(f"a gate lies between 0 and 1, and neither can be reached; got {share}")
    return math.log(share * (n - 1) / (1 - share))
