"""range(i - k//2, i + k//2) stops one too early. The filter reaches up to i + k//2, so the range ends at i + k//2 + 1."""

def conv_variance(channels: int, k: int, weight_variance: float, second_moment: float) -> float:
    return channels * k * k * weight_variance * second_moment


def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0:
        raise ValueError("even")
    rows = torch.tensor([sum(0 <= r < h for r in range(i - k // 2, i + k // 2)) for i in range(h)])
    cols = torch.tensor([sum(0 <= c < w for c in range(j - k // 2, j + k // 2)) for j in range(w)])
    N = rows[:, None] * cols
    return channels * N * weight_variance * second_moment, (k * k / N).sqrt()
