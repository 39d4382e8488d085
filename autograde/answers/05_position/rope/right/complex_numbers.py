"""A turn is a product of complex numbers."""

def rope(x, positions, base=10_000.0):
    if x.shape[-1] % 2:
        raise ValueError(f"channels turn in pairs, {x.shape[-1]} is odd")
    n = x.shape[-1] // 2
    angles = torch.outer(positions.double(), base ** (-torch.arange(n, dtype=torch.float64) / n))
    z = torch.view_as_complex(x.double().unflatten(-1, (n, 2)).contiguous())
    return torch.view_as_real(z * torch.exp(1j * angles)).flatten(-2).to(x.dtype)
