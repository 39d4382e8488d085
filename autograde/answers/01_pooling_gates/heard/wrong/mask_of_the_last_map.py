"""The gates of the last pool were returned, in its own small shape. The mask has the shape of x."""

def heard(x, pools):
    out, gates = x.detach(), torch.ones_like(x)
    for _ in range(pools):
        out, gates = max_pool_gated(out, 2)
    return gates.detach()
