"""The rows are written into an empty tensor; zeros at the start."""

class Embed(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192):
        super().__init__()
        self.P = patch
        side = image // patch
        self.project = nn.Linear(in_features=channels * patch**2, out_features=width)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.empty(1, side * side + 1, width))
        nn.init.normal_(self.position, std=0.02)

    def forward(self, images):
        patches = patchify(images, self.P)
        B, T, _ = patches.shape
        rows = patches.new_empty(B, T + 1, self.cls.shape[-1])
        rows[:, :1] = self.cls
        rows[:, 1:] = self.project(patches)
        return rows + self.position
