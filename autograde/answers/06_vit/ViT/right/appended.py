"""Blocks appended one by one; all rows go through the head before CLS is taken."""

class ViT(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192, heads=3, blocks=12, hidden=768, classes=1000):
        super().__init__()
        self.head = nn.Linear(width, classes)
        self.norm = nn.LayerNorm([width], eps=1e-6)
        self.blocks = nn.ModuleList()
        while len(self.blocks) < blocks:
            self.blocks.append(EncoderBlock(width=width, heads=heads, hidden=hidden))
        self.embed = Embed(image=image, patch=patch, channels=channels, width=width)

    def encode(self, images):
        rows = self.embed(images)
        for block in self.blocks:
            rows = block(rows)
        return self.norm(rows)

    def forward(self, images):
        return self.head(self.encode(images))[:, 0, :]
