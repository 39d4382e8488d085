"""Real inputs counted by F.unfold."""

def conv_variance(channels, k, weight_variance, second_moment):
    return second_moment * weight_variance * k**2 * channels


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 != 1:
        raise ValueError("k")
    count = F.unfold(torch.ones(1, 1, h, w), k, padding=k // 2).sum(1).reshape(h, w)
    whole = conv_variance(channels, k, weight_variance, second_moment)
    return whole * count / k**2, k / count.sqrt()
