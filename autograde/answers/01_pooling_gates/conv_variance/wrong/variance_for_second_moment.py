"""The variance of the inputs was used. Weights with mean 0 turn the mean into variance, too: the second moment counts."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k * k * weight_variance * (second_moment - 1/math.pi/2)
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2: raise ValueError("k")
    N = F.conv2d(torch.ones(1,1,h,w), torch.ones(1,1,k,k), padding=k//2)[0,0]
    return N*channels*weight_variance*second_moment, (k*k/N).sqrt()
