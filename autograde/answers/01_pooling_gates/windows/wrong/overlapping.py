"""The windows overlap: they move by one position. Here they move by k."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    return x.unfold(2, k, 1).unfold(3, k, 1).flatten(-2)
