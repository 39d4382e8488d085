"""Only the first block runs: return stands in the loop, or no loop."""

class ViT(nn.Module):
    def __init__(self, image=224, patch=16, channels=3, width=192, heads=3, blocks=12, hidden=768, classes=1000):
        super().__init__()
        self.embed = Embed(image, patch, channels, width)
        self.blocks = nn.ModuleList([EncoderBlock(width, heads, hidden) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.embed(images)
        x = self.blocks[0](x)
        x = self.norm(x)
        return self.head(x[:, 0])
