"""A map that does not fit loses its rim. The card asks for a ValueError."""

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
        v = F.unfold(x, k, stride=k).view(x.shape[0], x.shape[1], k * k, h // k, w // k)
        return softpool(v, self.tau[:, None, None, None], 2)[0]
