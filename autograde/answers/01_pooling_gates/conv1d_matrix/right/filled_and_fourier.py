"""The matrix filled in place; the gradient as a correlation by Fourier transform."""

def conv1d_matrix(w, n):
    k = len(w)
    if k % 2 == 0: raise ValueError(k)
    W = w.new_zeros(n, n)
    for i in range(n):
        for a in range(k):
            j = i + a - k // 2
            if j >= 0 and j < n: W[i, j] = w[a]
    return W
def tied_gradient(p, g, k):
    if k % 2 == 0: raise ValueError(k)
    n = p.shape[-1]
    # correlation by FFT
    m = n + k
    P = torch.fft.rfft(F.pad(p, (k // 2, k - k // 2)), n=m)
    G = torch.fft.rfft(F.pad(g, (0, k)), n=m)
    c = torch.fft.irfft(P * G.conj(), n=m)
    return c.reshape(-1, m).sum(0)[:k].to(p.dtype)
