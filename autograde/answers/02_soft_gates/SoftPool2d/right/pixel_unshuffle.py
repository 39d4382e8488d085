"""torch brings the pixels of a window next to each other."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.minus_log_tau = nn.Parameter(-torch.full((1, channels, 1, 1, 1), float(tau)).log())

    @property
    def tau(self):
        return (-self.minus_log_tau).exp().flatten()

    def forward(self, x):
        if x.shape[2] % self.k or x.shape[3] % self.k:
            raise ValueError("h and w must be multiples of k")
        v = F.pixel_unshuffle(x, self.k).unflatten(1, (x.shape[1], self.k**2))
        return softpool(v, self.tau[:, None, None, None], dim=2)[0]
