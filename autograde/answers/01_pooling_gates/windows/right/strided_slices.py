"""One strided slice for each place in a window."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    slices = [x[:, :, a::k, b::k] for a in range(k) for b in range(k)]
    return torch.stack(slices, dim=-1)
