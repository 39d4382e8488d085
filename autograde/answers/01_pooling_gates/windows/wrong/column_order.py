"""The values of a window stand column by column. Reading order goes row by row."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    y = x.reshape(B, C, h // k, k, w // k, k).permute(0, 1, 2, 4, 5, 3)
    return y.reshape(B, C, h // k, w // k, k * k)
