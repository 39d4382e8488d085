"""A 2 x 2 matrix for each position and pair."""

def rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError("the width is odd")
    angles = positions.float()[:, None] / base ** (torch.arange(0, d, 2) / d)
    c, s = angles.cos(), angles.sin()
    turn = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    return torch.einsum("tpij,...tpj->...tpi", turn, x.unflatten(-1, (-1, 2)).float()).flatten(-2).to(x.dtype)
