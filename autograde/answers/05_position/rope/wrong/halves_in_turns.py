"""Channel i is paired with channel i + d/2, and the results were put in turns. Pair channels 2i and 2i + 1."""

def rope(x: Tensor, positions: Tensor, base: float = 10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"the width must be even, channels turn in pairs; got {d}")
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = positions[:, None] * turns
    a, b = x.chunk(2, dim=-1)
    first, second = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack([first, second], dim=-1).flatten(-2).to(x.dtype)
