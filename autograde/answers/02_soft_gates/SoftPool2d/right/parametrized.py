"""torch makes the temperature of its logarithm, whenever it is asked for."""

class Positive(nn.Module):
    def forward(self, log):
        return log.exp()

    def right_inverse(self, tau):
        return tau.log()


class SoftPool2d(nn.Module):
    def __init__(self, channels, k=2, tau=1.0):
        super().__init__()
        self.k = k
        self.tau = nn.Parameter(torch.full((channels,), float(tau)))
        nn.utils.parametrize.register_parametrization(self, "tau", Positive())

    def forward(self, x):
        k, (B, C, h, w) = self.k, x.shape
        if h % k or w % k:
            raise ValueError("h and w must be multiples of k")
        out = torch.zeros(B, C, h // k, w // k)
        for i in range(h // k):
            for j in range(w // k):
                window = x[:, :, i * k : (i + 1) * k, j * k : (j + 1) * k].flatten(2)
                out[:, :, i, j] = softpool(window, self.tau[:, None])[0]
        return out
