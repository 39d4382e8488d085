"""nn.MultiheadAttention does the work; the card asks for yours."""

class TwoQuestions(nn.Module):
    def __init__(self, heads=4, d_model=16):
        super().__init__()
        self.embed = nn.Linear(6, d_model)
        self.attention = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.head = nn.Linear(d_model, 4)

    def forward(self, tokens):
        x = self.embed(tokens)
        y, gates = self.attention(x, x, x, average_attn_weights=False)
        x = x + y
        return self.head(x[:, 0]), gates
