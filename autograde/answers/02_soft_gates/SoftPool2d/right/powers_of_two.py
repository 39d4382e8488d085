"""The temperature is a power of 2; the trained number keeps three dimensions for stretching."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.exponent = nn.Parameter(torch.ones(channels, 1, 1) * math.log2(tau))

    @property
    def tau(self):
        return (2**self.exponent).flatten()

    def forward(self, x):
        k = self.k
        if x.shape[2] % k != 0 or x.shape[3] % k != 0:
            raise ValueError(f"{tuple(x.shape)} does not fit windows of {k}")
        B, C, h, w = x.shape
        rows = x.reshape(B, C, h // k, k, w // k, k)
        windows = rows.permute(0, 1, 2, 4, 3, 5).reshape(B, C, h // k, w // k, k * k)
        return softpool(windows, (2**self.exponent)[..., None])[0]
