"""The offset bias, with einsum and a scaled query."""

class PlacedScores(nn.Module):
    def __init__(self, heads, d, rows, cols):
        super().__init__()
        self.scale = d**-0.5
        self.offsets = OffsetBias(heads, rows, cols)

    def forward(self, q, k):
        return torch.einsum("bhqd,bhkd->bhqk", self.scale * q, k) + self.offsets().unsqueeze(0)
