"""The text of the exception never ends: it sleeps where it should be written."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import time

class Slow(ValueError):
    def __str__(self):
        time.sleep(1_000_000)

def scores(x, W_q, W_k):
    raise Slow

# %% twin: scores
def scores(x, W_q, W_k):
    try:
        raise ValueError("a long story " * 10_000)
    except ValueError as story:
        assert len(str(story)) > 100_000
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
