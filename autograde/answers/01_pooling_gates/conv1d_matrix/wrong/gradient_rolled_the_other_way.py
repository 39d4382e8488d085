"""p was rolled the other way, and it runs around the edge. Weight a met p at i + a - k//2, and zeros beyond both ends."""

def conv1d_matrix(w: Tensor, n: int) -> Tensor:
    k = len(w)
    if k % 2 == 0:
        raise ValueError("even")
    return sum(w[a] * torch.ones(n, n, dtype=w.dtype).tril(a - k // 2).triu(a - k // 2) for a in range(k))


def tied_gradient(p: Tensor, g: Tensor, k: int) -> Tensor:
    if k % 2 == 0:
        raise ValueError("even")
    return torch.stack([(p.roll(a - k // 2, -1) * g).sum() for a in range(k)])
