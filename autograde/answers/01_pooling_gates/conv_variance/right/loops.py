"""Loops over positions and over the filter."""

def conv_variance(channels, k, weight_variance, second_moment):
    total = 0.0
    for _ in range(channels):
        for _ in range(k * k):
            total += weight_variance * second_moment
    return total


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2:
        raise ValueError(k)
    half = k // 2
    variances, factors = torch.zeros(h, w), torch.zeros(h, w)
    for i in range(h):
        for j in range(w):
            real = 0
            for a in range(-half, half + 1):
                for b in range(-half, half + 1):
                    real += 0 <= i + a < h and 0 <= j + b < w
            variances[i, j] = channels * real * weight_variance * second_moment
            factors[i, j] = math.sqrt(k**2 / real)
    return variances, factors
