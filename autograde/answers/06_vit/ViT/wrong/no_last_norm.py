"""The last norm is made but not used."""

class ViT(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192, heads=3, blocks=12, hidden=768, classes=1000):
        super().__init__()
        self.embed = Embed(image, patch, channels, width)
        self.blocks = nn.ModuleList([EncoderBlock(width, heads, hidden) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.embed(images)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])
