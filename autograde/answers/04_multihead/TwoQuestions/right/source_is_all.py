"""Everything by name in a ModuleDict; answers of all tokens, of which the first is taken."""

class TwoQuestions(nn.Module):
    def __init__(self, heads: int = 4, d_model: int = 16) -> None:
        super().__init__()
        self.parts = nn.ModuleDict()
        self.parts["out"] = nn.Linear(d_model, 4, bias=False)
        self.parts["mix"] = MultiHeadAttention(d_model, heads)
        self.parts["in"] = nn.Linear(6, d_model, bias=False)

    def forward(self, tokens):
        x = self.parts["in"](tokens)
        message, gates = self.parts["mix"](x)
        everybody = self.parts["out"](message + x)
        return everybody.select(1, 0), gates
