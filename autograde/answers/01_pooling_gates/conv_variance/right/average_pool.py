"""The share of real inputs as an average pool of ones."""

def conv_variance(channels, k, weight_variance, second_moment):
    return math.prod([channels, k, k, weight_variance, second_moment])


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even filter")
    ones = torch.ones(1, 1, h, w, dtype=torch.float64)
    share = F.avg_pool2d(ones, k, stride=1, padding=k // 2, count_include_pad=True)[0, 0]
    return share * conv_variance(channels, k, weight_variance, second_moment), share.pow(-0.5)
