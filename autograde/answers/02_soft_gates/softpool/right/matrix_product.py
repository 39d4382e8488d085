"""The sum is a product of two matrices, after the dimension was moved to the end."""

def softpool(v, tau=1.0, dim=-1):
    t = torch.as_tensor(tau)
    if (t <= 0).any():
        raise ValueError("tau must be above 0")
    g = torch.softmax(v / t, dim)
    return (v.movedim(dim, -1)[..., None, :] @ g.movedim(dim, -1)[..., :, None])[..., 0, 0], g
