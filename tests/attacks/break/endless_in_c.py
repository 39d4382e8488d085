"""A computation of centuries inside C code that no Python interrupt reaches: a regular expression that backtracks."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import re

def scores(x, W_q, W_k):
    re.match(r"(a|aa)+$", "a" * 500 + "b")
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import re

def scores(x, W_q, W_k):
    re.match(r"(a|aa)+$", "a" * 20 + "b")      # thousands of steps, not more
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
