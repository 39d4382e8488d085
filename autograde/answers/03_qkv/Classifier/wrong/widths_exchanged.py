"""SelfAttention gets its sizes in another order: queries and keys are f wide and values d. The order is (f, d, n), and n is f here."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, f, d)
        self.head = nn.Linear(f, 1)

    def forward(self, images, mask=None):
        x, gates = self.attention(self.stem(images), mask)
        return self.head(x).squeeze(-1), gates
