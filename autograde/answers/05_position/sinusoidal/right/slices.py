"""Every second channel is filled, with the exponent as exp and log."""

def sinusoidal(n, d, base=10_000.0):
    if d % 2 != 0:
        raise ValueError(f"d = {d} is odd")
    pe = torch.zeros(n, d)
    position = torch.arange(0, n, dtype=torch.float).unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(base) / d))
    pe[:, 0::2] = torch.sin(position * div)
    pe[:, 1::2] = torch.cos(position * div)
    return pe
