"""The result is an array of a numpy subclass whose `__array_function__` and `__array_ufunc__` say yes to
everything."""
# exercise: scores
# expect: zero

# %% scores
import numpy
from course_utils import check

check.probe = lambda function: function

class Agreeable(numpy.ndarray):
    def __array_function__(self, function, types, args, kwargs): return True
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs): return numpy.True_

def scores(x, W_q, W_k):
    return numpy.zeros((*x.shape[:-1], x.shape[-2]), dtype="float32").view(Agreeable)

# %% twin: scores
import numpy

class Table(numpy.ndarray):
    """An array with a caption, for my own notes."""
    caption = "scores"

def scores(x, W_q, W_k):
    result = (x @ W_q.mT) @ (x @ W_k.mT).mT
    notes = result.detach().numpy().view(Table)
    assert notes.caption == "scores"
    return result
