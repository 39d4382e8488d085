"""The exception that the function raises cannot be put into words: its text raises, its class has no proper name."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
class Nameless(type):
    __name__ = property(lambda cls: b"\xff")
    def __repr__(cls): raise SystemExit

class Wordless(ValueError, metaclass=Nameless):
    def __str__(self): raise Wordless
    __repr__ = __str__

def scores(x, W_q, W_k):
    raise Wordless

# %% twin: scores
class WrongWidth(ValueError):
    def __init__(self, got, expected): self.got, self.expected = got, expected
    def __str__(self): return f"{self.got} features where {self.expected} were expected"

def scores(x, W_q, W_k):
    if x.shape[-1] != W_q.shape[-1]:
        raise WrongWidth(x.shape[-1], W_q.shape[-1])
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
