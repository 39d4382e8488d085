"""The head is called for one quadrant after the other."""

class Classifier(nn.Module):
    def __init__(self, f=16, d=8):
        super().__init__()
        self.head = nn.Linear(f, 1)
        self.attend = SelfAttention(f, d, f)
        self.stem = LocalStem(f)

    def forward(self, images, mask=None):
        tokens = self.stem(images)
        tokens, gates = self.attend(tokens, mask)
        answers = []
        for quadrant in range(4):
            answers.append(self.head(tokens[:, quadrant]))
        return torch.cat(answers, dim=1), gates
