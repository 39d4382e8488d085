"""The numbers of the positions are pooled with the same gates."""

def heard(x, pools):
    with torch.no_grad():
        B, C, h, w = x.shape
        ids = torch.arange(h * w, dtype=torch.float64).view(1, 1, h, w).expand(B, C, h, w)
        for _ in range(pools):
            x2, gates = max_pool_gated(x, 2)
            ids = (windows(ids, 2) * gates).sum(-1)
            x = x2
        mask = torch.zeros(B, C, h * w, dtype=x.dtype)
        mask.scatter_(2, ids.flatten(2).long(), 1.0)
        return mask.view(B, C, h, w)
