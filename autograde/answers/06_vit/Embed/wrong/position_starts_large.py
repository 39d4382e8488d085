"""position starts with a deviation of 1; multiply by 1/50, so that it does not drown what is in the patches."""

class Embed(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192):
        super().__init__()
        self.patch = patch
        self.tokens = (image // patch) ** 2
        self.project = nn.Linear(channels * patch * patch, width)
        self.cls = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.position = nn.Parameter(torch.randn(1, self.tokens + 1, width))

    def forward(self, images):
        rows = self.project(patchify(images, self.patch))
        cls = self.cls.expand(len(images), -1, -1)
        rows = torch.cat([cls, rows], dim=1)
        return rows + self.position
