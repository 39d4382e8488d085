"""The blocks in an nn.Sequential; CLS is taken before the norm."""

class ViT(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192, heads=3, blocks=12, hidden=768, classes=1000):
        super().__init__()
        self.embed = Embed(image, patch, channels, width)
        self.blocks = nn.Sequential(*(EncoderBlock(width, heads, hidden) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        cls = self.blocks(self.embed(images)).select(1, 0)
        return self.head(self.norm(cls))
