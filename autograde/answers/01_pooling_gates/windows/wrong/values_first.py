"""The window's values stand before the positions, (B, C, k·k, h/k, w/k). Move them to the end."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    return F.unfold(x, k, stride=k).view(B, C, k * k, h // k, w // k)
