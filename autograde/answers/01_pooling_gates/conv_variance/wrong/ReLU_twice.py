"""Multiplied by 2 for a ReLU. The second moment that is passed already knows of it."""

def conv_variance(channels, k, weight_variance, second_moment):
    return 2 * channels * k * k * weight_variance * second_moment
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2: raise ValueError("k")
    N = F.conv2d(torch.ones(1,1,h,w), torch.ones(1,1,k,k), padding=k//2)[0,0]
    return N*channels*weight_variance*second_moment, (k*k/N).sqrt()
