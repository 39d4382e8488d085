"""Points on the unit circle; their imaginary part is the sine."""

def sinusoidal(n, d, base=10_000.0):
    if d % 2:
        raise ValueError("sines and cosines come in pairs")
    speed = torch.pow(base, -torch.linspace(0, 1 - 2 / d, d // 2)) if d > 2 else torch.ones(1)
    angles = torch.outer(torch.arange(n).float(), speed)
    circle = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(circle).flip(-1).reshape(n, d).float()
