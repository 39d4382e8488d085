"""F.unfold puts the k·k values of all channels behind each other. Split this dimension into C and k·k before you move it."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    y = F.unfold(x, k, stride=k)
    return y.transpose(1, 2).reshape(B, C, h // k, w // k, k * k)
