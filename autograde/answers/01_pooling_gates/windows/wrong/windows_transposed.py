"""The windows stand column by column: the first two windows must lie side by side, in the first row of the map."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    y = x.reshape(B, C, h // k, k, w // k, k).permute(0, 1, 4, 2, 3, 5)
    return y.reshape(B, C, w // k, h // k, k * k)
