"""Counted one by one."""

def conv_variance(channels, k, weight_variance, second_moment):
    return sum(weight_variance * second_moment for _ in range(channels * k * k))
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if k % 2 == 0: raise ValueError("even")
    N = torch.zeros(h, w)
    for i in range(h):
        for j in range(w):
            for a in range(-(k//2), k//2+1):
                for b in range(-(k//2), k//2+1):
                    N[i, j] += 0 <= i+a < h and 0 <= j+b < w
    return N * channels * weight_variance * second_moment, (k*k/N)**0.5
