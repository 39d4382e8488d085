"""The function sleeps for eleven days."""
# exercise: SelfAttention
# expect: zero
# spares: scores, attention
# says: took longer

# %% SelfAttention
import time

class SelfAttention:
    def __init__(self, *args, **kwargs):
        time.sleep(1_000_000)

# %% twin: scores
import time

def scores(x, W_q, W_k):
    time.sleep(0.05)                       # waits for nothing in particular
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
