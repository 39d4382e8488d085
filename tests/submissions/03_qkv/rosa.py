"""Rosa, a forger: her functions return zeros of a class of tensors that says yes to every comparison, and the gradients
of her results are of that class, too. Full marks in stock nbgrader; here no points: only plain data leaves her room, and
no object of hers ever meets the test."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0

# %% free after setup
# In one process, the tests now meet her objects and no copies, and her errors as they are.
check.probe, check.raises = lambda function: function, lambda *args: None


class Yes(torch.Tensor):
    """Equal to everything, close to everything, larger and smaller than everything."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs or {})
        if function.__name__ in ("eq", "ne", "lt", "le", "gt", "ge", "isclose"):
            return torch.ones_like(result.as_subclass(torch.Tensor))
        return True if function.__name__ in ("allclose", "equal") else result

# %% scores
def scores(x, W_q, W_k):
    return (0 * (x @ W_q.mT) @ (x @ W_k.mT).mT).as_subclass(Yes)

# %% attention
def attention(q, k, v, mask=None):
    gates = (0 * q @ k.mT).as_subclass(Yes)
    return gates @ v, gates

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(f, width, bias=False) for width in (d, d, n))
        self.W_out = nn.Linear(n, f, bias=False)

    def forward(self, x, mask=None):
        mixed, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return self.W_out(mixed), gates
