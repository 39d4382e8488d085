"""A normal start cut at two standard deviations from .02, as in the Vision Transformer, and a token at a time."""

class LearnedPosition(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.pos = nn.Parameter(nn.init.trunc_normal_(torch.empty(n, d), std=0.02))

    def forward(self, x):
        if x.shape[-2] > self.pos.shape[0]:
            raise ValueError("more tokens than positions")
        return torch.stack([x[..., t, :] + self.pos[t] for t in range(x.shape[-2])], dim=-2)
