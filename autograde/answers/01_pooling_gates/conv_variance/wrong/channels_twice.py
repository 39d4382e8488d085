"""The channels were counted twice: in the number of real inputs and again in the product. N counts positions alone."""

def conv_variance(channels: int, k: int, weight_variance: float, second_moment: float) -> float:
    return channels * k * k * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even")
    N = F.conv2d(torch.ones(1, channels, h, w), torch.ones(1, channels, k, k), padding=k // 2)[0, 0]
    return channels * N * weight_variance * second_moment, (k * k / N).sqrt()
