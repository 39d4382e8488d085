"""Plain Python with the midpoint rule."""

def max_moments(n):
    if n < 1:
        raise ValueError("nobody competes")
    steps, low, high = 4000, -8.0, 8.0
    dx = (high - low) / steps
    xs = [low + (i + 0.5) * dx for i in range(steps)]
    weights = []
    for x in xs:
        below = 0.5 * (1 + math.erf(x / math.sqrt(2)))
        weights.append(n * below ** (n - 1) * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * dx)
    mean = sum(w * x for w, x in zip(weights, xs))
    return mean, sum(w * (x - mean) ** 2 for w, x in zip(weights, xs))
