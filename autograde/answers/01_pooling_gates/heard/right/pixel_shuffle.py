"""Gates as extra channels; pixel_shuffle lays them out."""

def heard(x, pools):
    if pools == 0:
        return torch.ones_like(x)
    out, gates = max_pool_gated(x.detach(), 2)
    behind = heard(out, pools - 1)
    B, C, h, w, n = gates.shape
    both = (gates * behind.unsqueeze(-1)).permute(0, 1, 4, 2, 3).reshape(B, C * n, h, w)
    return F.pixel_shuffle(both, 2).detach()
