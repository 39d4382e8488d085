"""The head reads the tokens that went into attention, not what came out. The plain quadrants then hear of no bird and no boat."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x = self.stem(images)
        _, gates = self.attention(x, mask)
        return self.head(x).squeeze(-1), gates
