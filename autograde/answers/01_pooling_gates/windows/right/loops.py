"""Loops over windows."""

def windows(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k != 0 or w % k != 0:
        raise ValueError(f"{h} x {w} does not fit {k}")
    rows = []
    for i in range(0, h, k):
        rows.append(torch.stack([x[:, :, i : i + k, j : j + k].reshape(B, C, k * k) for j in range(0, w, k)], dim=2))
    return torch.stack(rows, dim=2)
