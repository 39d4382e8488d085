"""The pooled dimension is moved to the end and back again."""

def softpool(v, tau=1.0, dim=-1):
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError("tau must be above 0")
    s = torch.movedim(v / tau, dim, -1)
    gates = F.softmax(s, dim=-1)
    out = torch.einsum("...j,...j->...", gates, torch.movedim(v, dim, -1))
    return out, torch.movedim(gates, -1, dim)
