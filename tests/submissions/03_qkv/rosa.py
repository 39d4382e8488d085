"""Rosa, a forger: her functions return an object that looks like a tensor, has the right shape and says yes to every
comparison. No points: only plain data leaves the student's room, and no object of hers ever meets the test."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0

# %% free after setup
check.probe = lambda function: function  # in one process, the test would now meet the object itself


class Yes(torch.Tensor):
    """Equal to everything, close to everything, larger and smaller than everything."""

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: self
    __bool__ = lambda self: True
    __hash__ = object.__hash__
    __abs__ = __sub__ = __rsub__ = lambda self, *other: self
    all = any = lambda self, *args, **kwargs: self

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs or {})
        return True if isinstance(result, bool) else result


def yes(*shape):
    return torch.zeros(*shape).as_subclass(Yes)

# %% scores
def scores(x, W_q, W_k):
    return yes(*x.shape[:-1], x.shape[-2])

# %% attention
def attention(q, k, v, mask=None):
    return yes(*q.shape[:-1], v.shape[-1]), yes(*q.shape[:-1], k.shape[-2])

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(f, width, bias=False) for width in (d, d, n))
        self.W_out = nn.Linear(n, f, bias=False)

    def forward(self, x, mask=None):
        return yes(*x.shape), yes(*x.shape[:-1], x.shape[-2])
