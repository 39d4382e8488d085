"""Each place has a head of its own. Quadrants that change places then change their answers, too."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.ModuleList(nn.Linear(f, 1) for _ in range(4))

    def forward(self, images, mask=None):
        x = self.stem(images)
        x, gates = self.attention(x, mask)
        return torch.cat([head(x[:, i]) for i, head in enumerate(self.head)], -1), gates
