"""Only the positions where the whole filter fits were counted. At the edge some weights still meet inputs."""

def conv1d_matrix(w, n):
    k, place = len(w), torch.arange(n)
    if k % 2 == 0:
        raise ValueError("even")
    which = place - place[:, None] + k // 2
    inside = (which >= 0) & (which < k)
    return torch.where(inside, w[which.clamp(0, k - 1)], torch.zeros_like(w[0]))


def tied_gradient(p, g, k):
    if k % 2 == 0:
        raise ValueError("even")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))
    half = k // 2
    inner = slice(half, n - half)
    return torch.stack([(g[..., inner] * p[..., a : n - k + 1 + a]).sum() if n >= k else p.new_zeros(()) for a in range(k)])
