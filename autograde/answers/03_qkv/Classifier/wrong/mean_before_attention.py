"""The mean of all tokens is added before attention, so that a quadrant knows the others under any mask."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x = self.stem(images)
        x = x + x.mean(-2, keepdim=True)
        x, gates = self.attention(x, mask)
        return self.head(x).squeeze(-1), gates
