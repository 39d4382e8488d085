"""autograd was asked. Sum over the places yourself; the test runs without it."""

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
    w = torch.zeros(k, dtype=p.dtype, requires_grad=True)
    y = p @ conv1d_matrix(w, p.shape[-1]).mT
    return torch.autograd.grad((g * y).sum(), w)[0]
