"""A right answer that prints 5 MB on one line."""
# exercise: scores
# expect: keeps
# spares: all

# %% scores
import sys

def scores(x, W_q, W_k):
    print("x" * 5_000_000)
    print("y" * 5_000_000, file=sys.stderr)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
