"""Every position has the same variance: that of the middle. At the edge some inputs are zeros and add nothing."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k**2 * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even")
    real = torch.full((h, w), float(k**2))
    variance = channels * real * weight_variance * second_moment
    factor = (k**2 / real).sqrt()
    return variance, factor
