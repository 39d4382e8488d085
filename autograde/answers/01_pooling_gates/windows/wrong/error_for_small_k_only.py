"""k is only checked to be at least 1. What does not fit is cut off without a word; raise ValueError."""

def windows(x, k):
    if k < 1: raise ValueError("k")
    return x.unfold(2, k, k).unfold(3, k, k).flatten(4)
