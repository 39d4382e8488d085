"""The tested function forks and returns twice: two processes answer on one line."""
# exercise: scores
# expect: zero
# spares: attention

# %% scores
import os

def scores(x, W_q, W_k):
    os.fork()
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import os

def scores(x, W_q, W_k):
    reading, writing = os.pipe()
    if os.fork() == 0:                     # a helper that computes a size, and leaves
        os.write(writing, str(x.shape[-2]).encode())
        os._exit(0)
    os.wait()
    assert int(os.read(reading, 10)) == x.shape[-2]
    os.close(reading)
    os.close(writing)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
