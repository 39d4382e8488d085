"""A LayerNorm before attention and another before the head, as in a transformer."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.before, self.after = nn.LayerNorm(f), nn.LayerNorm(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x, gates = self.attention(self.before(self.stem(images)), mask)
        return self.head(self.after(x)).reshape(len(images), 4), gates
