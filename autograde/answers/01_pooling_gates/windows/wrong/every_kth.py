"""Every k-th row and column was taken together. The values of one window are neighbours: split h into (h/k, k), in this order."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    y = x.reshape(B, C, k, h // k, k, w // k).permute(0, 1, 3, 5, 2, 4)
    return y.reshape(B, C, h // k, w // k, k * k)
