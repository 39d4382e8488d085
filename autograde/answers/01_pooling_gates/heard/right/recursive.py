"""Heard behind the pools that follow, then through this pool's gates."""

def heard(x, pools):
    if pools == 0: return torch.ones_like(x)
    with torch.no_grad():
        out, gates = max_pool_gated(x, 2)
        inner = heard(out, pools - 1)
        return F.pixel_shuffle((gates * inner[..., None]).movedim(-1, 2).flatten(1, 2), 2)
