"""Pair by pair, filled into an empty tensor."""

def rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d is odd")
    out = torch.empty(x.shape, dtype=torch.promote_types(x.dtype, torch.float32))
    for i in range(d // 2):
        angle = positions.to(torch.float64) * base ** (-2 * i / d)
        c, s = angle.cos().to(out.dtype), angle.sin().to(out.dtype)
        a, b = x[..., 2 * i].to(out.dtype), x[..., 2 * i + 1].to(out.dtype)
        out[..., 2 * i] = a * c - b * s
        out[..., 2 * i + 1] = a * s + b * c
    return out.to(x.dtype)
