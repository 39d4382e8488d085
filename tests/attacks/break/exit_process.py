"""The tested function ends the process at once, without any clean-up."""
# exercise: scores
# expect: zero
# spares: all
# says: ended the kernel

# %% scores
import os

def scores(x, W_q, W_k):
    os._exit(0)

# %% twin: scores
import os

def scores(x, W_q, W_k):
    child = os.fork()
    if child == 0:
        os._exit(0)                        # ends the child, not the kernel
    os.waitpid(child, 0)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
