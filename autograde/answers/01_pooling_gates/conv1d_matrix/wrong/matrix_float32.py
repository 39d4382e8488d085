"""The zeros are float32 whatever the type of w is."""

def conv1d_matrix(w, n):
    k, place = len(w), torch.arange(n)
    if k % 2 == 0:
        raise ValueError("even")
    which = place - place[:, None] + k // 2
    inside = (which >= 0) & (which < k)
    return torch.where(inside, w[which.clamp(0, k - 1)], torch.zeros(())).float()


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("even")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))
    return torch.stack([(g * padded[..., a : a + n]).sum() for a in range(k)])
