"""The gates of a window were laid back by one reshape. They belong into a square: two in one row, two in the row below."""

def heard(x: Tensor, pools: int) -> Tensor:
    mask = torch.ones_like(x)
    out = x
    for i in range(pools):
        out, gates = max_pool_gated(out, 2)
        side = 2**i
        laid = gates.reshape(*x.shape[:2], x.shape[2] // side, x.shape[3] // side)
        mask = mask * laid.repeat_interleave(side, 2).repeat_interleave(side, 3)
    return mask
