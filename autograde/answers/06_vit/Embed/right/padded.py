"""A row of zeros is padded in front and CLS added to it; the weights are used by F.linear."""

class Embed(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192):
        super().__init__()
        self.sizes = image, patch
        self.project = nn.Linear(channels * patch * patch, width)
        self.cls = nn.Parameter(torch.nn.init.trunc_normal_(torch.empty(1, 1, width), std=0.02))
        self.position = nn.Parameter(torch.nn.init.trunc_normal_(torch.empty(1, (image // patch) ** 2 + 1, width), std=0.02))

    def forward(self, images):
        x = F.linear(patchify(images, self.sizes[1]), self.project.weight, self.project.bias)
        x = F.pad(x, (0, 0, 1, 0))
        first = (torch.arange(x.shape[1], device=x.device) == 0)[:, None]
        return x + first * self.cls + self.position
