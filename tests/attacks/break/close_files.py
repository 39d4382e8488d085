"""The tested function closes every open file of the process, its lines to the outside included."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import os

def scores(x, W_q, W_k):
    os.closerange(0, 65536)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import os

def scores(x, W_q, W_k):
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
