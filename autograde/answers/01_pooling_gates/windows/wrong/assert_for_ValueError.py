"""assert raises AssertionError. ValueError is asked for, and asserts vanish when Python runs with -O."""

def windows(x, k):
    assert k >= 1 and x.shape[2] % k == 0 and x.shape[3] % k == 0
    return x.unfold(2, k, k).unfold(3, k, k).flatten(-2)
