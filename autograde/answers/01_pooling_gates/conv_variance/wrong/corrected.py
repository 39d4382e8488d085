"""The map is already corrected: it is the same everywhere. The variance as it is, is asked for."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k**2 * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even")
    real = F.conv2d(torch.ones(1, 1, h, w), torch.ones(1, 1, k, k), padding=k // 2)[0, 0]
    variance = torch.full((h, w), float(channels * k**2 * weight_variance * second_moment))
    factor = (k**2 / real).sqrt()
    return variance, factor
