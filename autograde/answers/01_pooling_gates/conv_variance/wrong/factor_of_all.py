"""The factor is 1 over the deviation, so it depends on the weights. It must only undo the padding: the root of k²/N."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k * k * weight_variance * second_moment
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2: raise ValueError("k")
    N = F.conv2d(torch.ones(1,1,h,w), torch.ones(1,1,k,k), padding=k//2)[0,0]
    v = N*channels*weight_variance*second_moment
    return v, (1/v).sqrt()
