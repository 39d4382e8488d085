"""f and d are ignored: the sizes are always 16 and 8, also in the head, but the stem follows f."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(16, 8, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, images, mask=None):
        x = self.stem(images)
        x, gates = self.attention(x, mask)
        return self.head(x).squeeze(-1), gates
