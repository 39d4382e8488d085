"""Real rows times real columns."""

def conv_variance(channels, k, weight_variance, second_moment):
    fan = channels * k * k
    return fan * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("k must be odd")
    half = k // 2
    rows = torch.tensor([min(i + half, h - 1) - max(i - half, 0) + 1 for i in range(h)])
    columns = torch.tensor([min(j + half, w - 1) - max(j - half, 0) + 1 for j in range(w)])
    N = rows[:, None] * columns[None, :]
    return channels * weight_variance * second_moment * N, torch.sqrt(k * k / N)
