"""Autograd is turned on again and asked for the gradient. Write down yourself what each place has to say to a weight."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0:
        raise ValueError("even")
    i = torch.arange(n)
    a = i[None] - i[:, None] + k // 2
    return torch.where((a >= 0) & (a < k), w[a.clamp(0, k - 1)], torch.zeros((), dtype=w.dtype))


def tied_gradient(p, g, k):
    with torch.enable_grad():
        w = torch.zeros(k, dtype=p.dtype, requires_grad=True)
        loss = (g * (p @ conv1d_matrix(w, p.shape[-1]).mT)).sum()
        return torch.autograd.grad(loss, w)[0]
