"""The windows come from F.unfold, with the channels counted as pictures."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k, self.rate = k, nn.Parameter(torch.full((channels,), -math.log(tau)))

    @property
    def tau(self):
        return torch.exp(-self.rate)

    def forward(self, x):
        B, C, h, w = x.shape
        if h % self.k + w % self.k > 0:
            raise ValueError("maps do not fit the windows")
        v = F.unfold(x.reshape(B * C, 1, h, w), self.k, stride=self.k)  # (B*C, k*k, windows)
        v = v.view(B, C, self.k**2, -1)
        out, _ = softpool(v, self.tau.view(C, 1, 1), 2)
        return out.view(B, C, h // self.k, w // self.k)
