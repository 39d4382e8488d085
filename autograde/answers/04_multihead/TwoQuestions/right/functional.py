"""Xavier weights, F.linear, and a list returned."""

class TwoQuestions(nn.Module):
    def __init__(self, heads=4, d_model=16):
        super().__init__()
        self.first, self.last = nn.Linear(6, d_model), nn.Linear(d_model, 4)
        self.attend = MultiHeadAttention(d_model, heads, bias=False)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.xavier_uniform_(weight)

    def forward(self, tokens):
        x = F.linear(tokens, self.first.weight, self.first.bias)
        heard, gates = self.attend(x)
        disc = x[:, 0, :] + heard[:, 0, :]
        return [F.linear(disc, self.last.weight) + self.last.bias, gates]
