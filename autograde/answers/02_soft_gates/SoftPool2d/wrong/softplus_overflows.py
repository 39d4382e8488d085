"""The start takes e to the power of tau, which is infinite from tau = 89 on: a large temperature cannot be asked for."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.a = nn.Parameter(torch.full((channels,), float(tau)).expm1().log())

    @property
    def tau(self):
        return F.softplus(self.a)

    def forward(self, x):
        k, (h, w) = self.k, x.shape[-2:]
        if h % k or w % k:
            raise ValueError("h and w must be multiples of k")
        v = x.unflatten(3, (w // k, k)).unflatten(2, (h // k, k)).transpose(3, 4).flatten(4)
        return softpool(v, self.tau[:, None, None, None])[0]
