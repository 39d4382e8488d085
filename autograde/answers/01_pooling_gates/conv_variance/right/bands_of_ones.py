"""Bands of ones count rows and columns; the factor is a ratio of variances."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k * k * weight_variance * second_moment
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2: raise ValueError("k")
    band_h = torch.ones(h, h).tril(k//2).triu(-(k//2)).sum(1)
    band_w = torch.ones(w, w).tril(k//2).triu(-(k//2)).sum(1)
    N = band_h[:, None] * band_w[None]
    v = N * channels * weight_variance * second_moment
    return v, (conv_variance(channels, k, weight_variance, second_moment) / v).sqrt()
