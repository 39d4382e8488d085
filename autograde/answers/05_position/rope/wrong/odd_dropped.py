"""With an odd width the last channel is left as it is. Raise ValueError."""

def rope(x: Tensor, positions: Tensor, base: float = 10_000.0):
    d = x.shape[-1]
    if d % 2:
        return torch.cat([rope(x[..., :-1], positions, base), x[..., -1:]], dim=-1)
    turns = base ** (-torch.arange(0, d, 2) / d)
    angles = positions[:, None] * turns
    a, b = x[..., 0::2], x[..., 1::2]
    first, second = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack([first, second], dim=-1).flatten(-2).to(x.dtype)
