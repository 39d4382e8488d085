"""Tensor.unfold, once for rows and once for columns."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    return x.unfold(2, k, k).unfold(3, k, k).flatten(-2)
