"""The gates were laid back into the map, (B, C, h, w). They are asked for window by window, (B, C, h/k, w/k, k·k)."""

def max_pool_gated(x, k):
    V = windows(x, k)
    gates = hardmax(V)
    B, C, h, w = x.shape
    square = gates.view(B, C, h // k, w // k, k, k).transpose(3, 4).reshape(B, C, h, w)
    return (V * gates).sum(-1), square
