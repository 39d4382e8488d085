"""`sys.exit(0)` inside the tested function."""
# exercise: scores
# expect: zero
# spares: all
# says: SystemExit

# %% scores
import sys

def scores(x, W_q, W_k):
    sys.exit(0)

# %% twin: scores
import sys

def scores(x, W_q, W_k):
    try:
        sys.exit(0)
    except SystemExit as left:
        assert left.code == 0
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
