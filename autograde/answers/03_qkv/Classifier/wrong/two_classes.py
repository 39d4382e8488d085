"""The head gives two numbers, one for each class. The card asks for one: its sign is the answer."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 2)

    def forward(self, images, mask=None):
        x = self.stem(images)
        x, gates = self.attention(x, mask)
        return self.head(x), gates
