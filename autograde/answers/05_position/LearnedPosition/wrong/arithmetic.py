"""Arithmetic on a Parameter gives a plain tensor, which training does not find. Multiply inside nn.Parameter."""

class LearnedPosition(nn.Module):

    def __init__(self, n: int, d: int):
        super().__init__()
        self.place = 0.02 * nn.Parameter(torch.randn(n, d))

    def forward(self, x: Tensor):
        if x.shape[-2] > len(self.place):
            raise ValueError(f"{x.shape[-2]} tokens, but only {len(self.place)} positions have an address")
        return x + self.place[: x.shape[-2]]
