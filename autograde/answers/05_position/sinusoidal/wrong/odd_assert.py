"""An odd width raises an AssertionError. The card asks for ValueError."""

def sinusoidal(n: int, d: int, base: float = 10_000.0):
    assert d % 2 == 0, "d must be even"
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(n)[:, None] * turns
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
    return pairs.flatten(1)
