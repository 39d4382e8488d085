"""Positions are added before CLS joins."""

class Embed(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192):
        super().__init__()
        self.patch = patch
        self.project = nn.Linear(channels * patch * patch, width)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.position = nn.Parameter(0.02 * torch.randn(1, 1 + (image // patch) * (image // patch), width))

    def forward(self, images):
        rows = self.project(patchify(images, self.patch)) + self.position[:, 1:]
        first = (self.cls + self.position[:, :1]).repeat(images.size(0), 1, 1)
        return torch.concat((first, rows), 1)
