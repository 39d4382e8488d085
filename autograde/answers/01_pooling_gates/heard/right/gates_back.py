"""Gates multiplied backwards, laid back into their squares."""

def heard(x, pools):
    gates, out = [], x.detach()
    for _ in range(pools):
        out, g = max_pool_gated(out, 2)
        gates.append(g)
    mask = torch.ones_like(out)
    for g in reversed(gates):
        B, C, h, w, _ = g.shape
        open_ = g * mask[..., None]
        mask = open_.reshape(B, C, h, w, 2, 2).permute(0, 1, 2, 4, 3, 5).reshape(B, C, 2 * h, 2 * w)
    return mask.detach()
