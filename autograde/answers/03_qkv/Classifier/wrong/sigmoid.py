"""The answers go through a sigmoid and none lies below 0, so that none says sky. The loss brings its own sigmoid."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x = self.stem(images)
        x, gates = self.attention(x, mask)
        return self.head(x).squeeze(-1).sigmoid(), gates
