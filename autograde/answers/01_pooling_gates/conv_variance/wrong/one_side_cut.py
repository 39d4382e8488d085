"""Each position loses rows on one side only. In a map that is smaller than the filter it loses them on both."""

def conv_variance(channels, k, weight_variance, second_moment):
    return channels * k * k * weight_variance * second_moment
def variance_map(h, w, k, channels, weight_variance, second_moment):
    if not k % 2: raise ValueError("k")
    r = k//2
    i = torch.arange(h); j = torch.arange(w)
    a = r + 1 + torch.minimum(i, h-1-i).clamp(max=r)
    b = r + 1 + torch.minimum(j, w-1-j).clamp(max=r)
    N = a[:,None]*b
    return N*channels*weight_variance*second_moment, (k*k/N).sqrt()
