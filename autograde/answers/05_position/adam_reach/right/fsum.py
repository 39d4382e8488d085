"""math.fsum; odds times the number of others."""

def adam_reach(lrs):
    return math.fsum(lrs)

def needed_bias(n, share=0.5):
    others = n - 1
    if others < 1:
        raise ValueError("at least two tokens")
    if not 0.0 < share < 1.0:
        raise ValueError("share lies between 0 and 1")
    odds = share / (1 - share)
    return math.log(odds * others)
