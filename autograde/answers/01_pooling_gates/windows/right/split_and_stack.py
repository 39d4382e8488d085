"""Rows of windows, then windows of each row, stacked."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k or w % k: raise ValueError
    return torch.stack([torch.stack([c.flatten(2) for c in r.split(k, dim=3)], 2) for r in x.split(k, dim=2)], 2)
