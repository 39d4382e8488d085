"""Each channel times its cosine, plus its partner times its sine."""

def rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("cannot make pairs of an odd number of channels")
    angles = (positions.float().unsqueeze(-1) * base ** (-torch.arange(0, d, 2).float() / d)).repeat_interleave(2, -1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    return (x * angles.cos() + partner * angles.sin()).to(x.dtype)
