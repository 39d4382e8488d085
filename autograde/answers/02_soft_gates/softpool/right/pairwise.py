"""Each gate is 1 over a sum of exponentials of differences."""

def softpool(v, tau=1.0, dim=-1):
    if (torch.as_tensor(tau) <= 0).any():
        raise ValueError("tau must be above 0")
    scores = (v / tau).movedim(dim, -1)
    gates = 1 / (scores[..., None, :] - scores[..., :, None]).exp().sum(-1)
    return (gates * v.movedim(dim, -1)).sum(-1), gates.movedim(-1, dim)
