"""The number of tokens was read from dimension 1, which holds only for one batch dimension."""

class LearnedPosition(nn.Module):

    def __init__(self, n: int, d: int):
        super().__init__()
        self.place = nn.Parameter(0.02 * torch.randn(n, d))

    def forward(self, x: Tensor):
        if x.shape[1] > len(self.place):
            raise ValueError(f"{x.shape[1]} tokens, but only {len(self.place)} positions have an address")
        return x + self.place[: x.shape[1]]
