"""The turned channels are written into x of the caller, and the first ones are used for the second."""

def rope(x: Tensor, positions: Tensor, base: float = 10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"the width must be even, channels turn in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = positions[:, None] * turns
    a, b = x[..., 0::2], x[..., 1::2]
    with torch.no_grad():
        first, second = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
        x[..., 0::2], x[..., 1::2] = first.to(x.dtype), second.to(x.dtype)
    return x
