"""No residual: what a quadrant hears is enough. The head is a parameter and an einsum."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.stem = LocalStem(f)
        self.look = SelfAttention(f, d, f, residual=False)
        self.weight = nn.Parameter(torch.randn(f) / math.sqrt(f))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, images, mask=None):
        x, gates = self.look(self.stem(images), mask)
        return torch.einsum("btf,f->bt", x, self.weight) + self.bias, gates
