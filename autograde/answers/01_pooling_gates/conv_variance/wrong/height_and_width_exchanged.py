"""Height and width are exchanged."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k**2 * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even")
    real = F.conv2d(torch.ones(1, 1, w, h), torch.ones(1, 1, k, k), padding=k // 2)[0, 0]
    variance = channels * real * weight_variance * second_moment
    factor = (k**2 / real).sqrt()
    return variance, factor
