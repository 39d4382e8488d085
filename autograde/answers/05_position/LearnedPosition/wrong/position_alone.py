"""The address is returned without the token that it belongs to."""

class LearnedPosition(nn.Module):

    def __init__(self, n: int, d: int):
        super().__init__()
        self.place = nn.Parameter(0.02 * torch.randn(n, d))

    def forward(self, x: Tensor):
        if x.shape[-2] > len(self.place):
            raise ValueError(f"{x.shape[-2]} tokens, but only {len(self.place)} positions have an address")
        return self.place[: x.shape[-2]]
