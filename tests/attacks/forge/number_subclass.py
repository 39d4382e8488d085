"""The result is a number, and its text a string, of classes that equal everything."""
# exercise: scores
# expect: zero

# %% scores
from course_utils import check

check.probe = lambda function: function

class Any(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = __getitem__ = lambda self, *other: self
    __hash__ = float.__hash__

def scores(x, W_q, W_k):
    return Any(0.0)

# %% twin: scores
class Width(int):
    """A number with a unit."""
    unit = "features"

def scores(x, W_q, W_k):
    d = Width(W_q.shape[0])
    return (x @ W_q[:d].mT) @ (x @ W_k[:d].mT).mT
