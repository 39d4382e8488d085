"""Kaito, damaged: copied a test cell with its marks to the end, on which stock nbgrader gives up the whole
class. The copy is left out. All points."""
# from: instructor
# damage: last_test_copied
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: test_Classifier

# %% SelfAttention
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it."""

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        self.W_q, self.W_k = nn.Linear(f, d, bias=False), nn.Linear(f, d, bias=False)
        self.W_v, self.W_out = nn.Linear(f, n, bias=False), nn.Linear(n, f, bias=False)
        self.keep = 1.0 if residual else 0.0

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        mixed, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return torch.add(self.W_out(mixed), x, alpha=self.keep), gates
