"""pixel_unshuffle puts the values of a window into channels."""

def windows(x, k):
    B, C, h, w = x.shape
    if k <= 0 or h % k != 0 or w % k != 0:
        raise ValueError("k must divide h and w")
    u = F.pixel_unshuffle(x, k)
    return u.view(B, C, k * k, h // k, w // k).permute(0, 1, 3, 4, 2)
