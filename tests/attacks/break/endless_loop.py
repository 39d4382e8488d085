"""An endless loop inside the tested function."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
def scores(x, W_q, W_k):
    while True:
        pass

# %% twin: scores
import time

def scores(x, W_q, W_k):
    started = time.monotonic()
    while time.monotonic() - started < 0.05:      # slow, but it ends
        pass
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
