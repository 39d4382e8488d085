"""conv_variance returns a tensor. A float is asked for: compute with numbers, or take .item()."""

def conv_variance(channels, k, weight_variance, second_moment):
    return torch.tensor(channels * k * k * weight_variance * second_moment)


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError(f"{k} is even")
    N = F.avg_pool2d(torch.ones(1, 1, h, w), k, 1, k // 2)[0, 0] * k * k
    return channels * N * weight_variance * second_moment, k / N**0.5
