"""Without rope: both turns as one product of complex numbers."""

def rope_2d(x, rows, cols, base=100.0):
    T, d = x.shape[-2:]
    if d % 4:
        raise ValueError("width")
    if rows * cols != T:
        raise ValueError("tokens")
    n = d // 4
    speed = base ** (-torch.arange(n) / n)
    t = torch.arange(T)
    angles = torch.cat([torch.outer(t % cols, speed), torch.outer(t // cols, speed)], -1)
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(x.dtype)
