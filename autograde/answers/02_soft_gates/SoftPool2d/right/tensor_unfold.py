"""The windows come from the method .unfold of tensors."""

class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.log_tau = nn.Parameter(torch.log(torch.tensor([float(tau)] * channels)))

    @property
    def tau(self):
        return torch.exp(self.log_tau)

    def forward(self, x):
        if x.size(-1) % self.k or x.size(-2) % self.k:
            raise ValueError("height and width must be multiples of k")
        windows = x.unfold(2, self.k, self.k).unfold(3, self.k, self.k).flatten(-2)
        out, _ = softpool(windows, self.tau.reshape(-1, 1, 1, 1), dim=-1)
        return out
