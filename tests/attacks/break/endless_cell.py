"""An endless loop at the top level of the solution cell, after a right definition."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
def scores(x, W_q, W_k):
    return (x @ W_q.mT) @ (x @ W_k.mT).mT

while True:
    pass

# %% twin: free before scores
import time

started = time.monotonic()
while time.monotonic() - started < 3:      # a long but finite loop
    sum(range(1000))
