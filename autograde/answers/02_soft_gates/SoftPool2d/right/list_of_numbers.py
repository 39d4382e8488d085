"""Each channel has a parameter of its own, in a list."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.logs = nn.ParameterList([torch.tensor(math.log(tau)) for _ in range(channels)])

    @property
    def tau(self):
        return torch.stack([log.exp() for log in self.logs])

    def forward(self, x):
        k, (h, w) = self.k, x.shape[-2:]
        if h % k != 0 or w % k != 0:
            raise ValueError("h and w must be multiples of k")
        v = torch.stack([x[:, :, i::k, j::k] for i in range(k) for j in range(k)], dim=-1)
        return softpool(v, self.tau.view(-1, 1, 1, 1))[0]
