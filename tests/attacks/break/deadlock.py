"""The function waits for a lock that it holds itself."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import threading

lock = threading.Lock()

def scores(x, W_q, W_k):
    with lock, lock:
        return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import threading

lock = threading.RLock()

def scores(x, W_q, W_k):
    with lock, lock:                       # this kind of lock may be taken twice
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
