"""A recursion without end and without a limit: the process runs out of stack."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import functools, sys

sys.setrecursionlimit(2**31 - 1)

class Deep:
    def __repr__(self):
        return repr([self])

def scores(x, W_q, W_k):
    repr(Deep())
    deep = functools.reduce(lambda inner, _: [inner], range(10_000_000), [])
    return deep == deep.copy()

# %% twin: scores
import sys

sys.setrecursionlimit(5000)

def depth(number):
    return 0 if number == 0 else 1 + depth(number - 1)

def scores(x, W_q, W_k):
    assert depth(2000) == 2000
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
