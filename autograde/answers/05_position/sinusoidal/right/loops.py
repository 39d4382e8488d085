"""Number by number, with Python's own sine."""

def sinusoidal(n, d, base=10_000.0):
    if d % 2 == 1:
        raise ValueError("an odd width leaves a channel without a partner")
    out = torch.empty(n, d)
    for t in range(n):
        for i in range(d // 2):
            angle = t / base ** (2 * i / d)
            out[t, 2 * i], out[t, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return out
